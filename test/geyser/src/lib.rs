//! A Geyser plugin that serves its chain by the protocol of Yellowstone, as far as an order book needs it: the gRPC
//! feed is then tested on a real chain, with its slots, write versions and transactions.
//!
//! It is made for Surfpool, which reports a slot only when it ends and nothing of accounts that its cheat codes write.
//! Its server is for tests: no TLS, no token, no replay of earlier slots, and no commitment of `finalized`.

mod filters;
mod held;
mod messages;
mod plugin;
mod server;

use agave_geyser_plugin_interface::geyser_plugin_interface::GeyserPlugin;
use plugin::YellowstonePlugin;

/// Makes the plugin; its owner is the caller, which calls it as `unsafe fn() -> *mut dyn GeyserPlugin`.
///
/// # Safety
///
/// Safe in itself. The caller must have been compiled by the same compiler and against the same interface, as
/// nothing else defines how the plugin is laid out.
#[unsafe(no_mangle)]
pub unsafe fn _create_plugin() -> *mut dyn GeyserPlugin {
    Box::into_raw(Box::new(YellowstonePlugin::default()))
}
