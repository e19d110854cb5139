import { isProduction, type Source } from '../repo';

/** Arithmetic on a security epoch, or a next one handed to a statement, in whatever spelling. */
const MADE =
  /\b\w*(?:security_?epoch|prior_?epoch)\w*\s*(?:\+|\+=|=\s*\w+\s*\+)\s*\d|['"]security_epoch\.next['"]|\bsecurity_epoch\s*=\s*security_epoch\s*\+/i;

/** The files in which a security epoch is made of another one. */
export function allocatorsOf(files: readonly Source[]): readonly string[] {
  return files.filter(({ path, text }) => isProduction(path) && MADE.test(text)).map(({ path }) => path);
}
