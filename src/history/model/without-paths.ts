/** An absolute path, and the last name of it. */
const PATH = /(^|[\s'"(])(?:[A-Za-z]:)?[\\/](?:[^\s'"():,]*[\\/])?([^\s'"():,\\/]*)/g;

/** A reason as clients may see it: of a path of this machine only the last name. The log has it whole. */
export function withoutPaths(reason: string, folder: string): string {
  const short = folder === '' ? reason : reason.replaceAll(`${folder}/`, '');
  return short.replace(PATH, '$1$2');
}
