/** Bytes and their base64 text, with what browsers and Node.js both have. */

/** Bytes as base64. */
export function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** The bytes of a base64 text; null when it is none. */
export function bytesOfBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
