/** Matches an absolute path; the last group is its last name. */
const PATH = /(^|[\s'"(])(?:[A-Za-z]:)?[\\/](?:[^\s'"():,]*[\\/])?([^\s'"():,\\/]*)/g;

/**
 * Returns a reason for clients, in which each path of this machine is reduced to its last name. The
 * log contains the full path.
 */
export function withoutPaths(reason: string, folder: string): string {
  const short = folder === '' ? reason : reason.replaceAll(`${folder}/`, '');
  return short.replace(PATH, '$1$2');
}
