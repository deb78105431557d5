/** A text, or an integer of 16 digits and more: what is no such integer is left as it is. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/**
 * Parses JSON without losing digits: an integer that a double cannot hold comes as its text. A field
 * that may be so large is read with a reader that takes both.
 */
export function parseExact(json: string): unknown {
  // Most bodies have no number of 16 digits; they are not looked at twice.
  if (!/[\d]{16}/.test(json)) return JSON.parse(json);
  return JSON.parse(json.replace(TEXT_OR_NUMBER, asExactText));
}

function asExactText(token: string): string {
  const isExact = !/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token));
  return isExact ? token : `"${token}"`;
}

/** Parses JSON with every number as the text that it is written with: no digit is lost. */
export function parseNumbersAsText(json: string): unknown {
  return JSON.parse(
    json.replace(TEXT_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"${token}"`)),
  );
}
