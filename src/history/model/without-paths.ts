/** Matches an absolute path, and its last name. */
const PATH = /(^|[\s'"(])(?:[A-Za-z]:)?[\\/](?:[^\s'"():,]*[\\/])?([^\s'"():,\\/]*)/g;

/** A reason for clients: each path of this machine is reduced to its last name. The log has the full path. */
export function withoutPaths(reason: string, folder: string): string {
  const short = folder === '' ? reason : reason.replaceAll(`${folder}/`, '');
  return short.replace(PATH, '$1$2');
}
