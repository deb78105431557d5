//! Tells the linker that the symbols of Node come from the process that loads the addon.

fn main() {
    napi_build::setup();
}
