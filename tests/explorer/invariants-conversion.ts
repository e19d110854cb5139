import { by, doubles, fresh, pairs, text, type Commit } from './invariant';
import type { Rows } from './rows';

type Attempt = Rows['conversions'][number];
const attemptKey = ({ organization_id, attempt_id }: Attempt): string => `${organization_id} ${attempt_id}`;
const readerKey = ({ organization_id, app_id, reader_id }: Rows['legacyReaders'][number]): string =>
  `${organization_id} ${app_id} ${reader_id}`;
const succeeded = ({ app_installation_id }: Attempt): boolean => app_installation_id !== null;

/** An attempt is decided once and stays; an App is converted once in an organization, to an installation that is there (cat:CONV-09, cat:CONV-10). */
export function convertedOnce({ before, after }: Commit): readonly string[] {
  const there = by(after.installations, ({ organization_id, app_installation_id }) => `${organization_id} ${app_installation_id}`);
  const successes = after.conversions.filter(succeeded);
  const standing = by(after.conversions, attemptKey);
  return [
    ...doubles(successes.map(({ organization_id, app_id }) => `${organization_id} ${app_id}`)).map((key) => `${key} is converted twice`),
    ...successes
      .filter((one) => !there.has(`${one.organization_id} ${one.app_installation_id}`))
      .map((one) => `${attemptKey(one)} converted to nothing`),
    ...before.conversions.filter((one) => text(standing.get(attemptKey(one))) !== text(one)).map((one) => `${attemptKey(one)} changed`),
  ];
}

/** A ledger begins with its conversion and only falls; what is decided to be deleted has no reader (cat:COEX-05, cat:COEX-12). */
export function readersOnlyFall({ before, after }: Commit): readonly string[] {
  const begun = fresh(before.conversions, after.conversions, attemptKey).filter(succeeded);
  const isOpen = ({ open_app_id }: Rows['legacyReaders'][number]): boolean => open_app_id !== null;
  return [
    ...fresh(before.legacyReaders, after.legacyReaders, readerKey)
      .filter(({ organization_id }) => !begun.some((one) => one.organization_id === organization_id))
      .map((row) => `${readerKey(row)} came after the conversion`),
    ...pairs(before.legacyReaders, after.legacyReaders, readerKey)
      .filter(([old, now]) => !isOpen(old) && isOpen(now))
      .map(([, now]) => `${readerKey(now)} reads again`),
    ...after.legacyDeletions.flatMap(({ organization_id }) =>
      after.legacyReaders
        .filter((row) => row.organization_id === organization_id && isOpen(row))
        .map((row) => `${readerKey(row)} reads what is to be deleted`),
    ),
  ];
}
