import type { AccountName, Instant } from '@connector/kernel/brand';
import { nullable } from '@connector/kernel/column';
import { CredentialGenerationId } from '@connector/kernel/ids';
import { readQuery } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { conCredentialGate } from '@connector/schema/connector/serving';
import { ctlCredentialGeneration } from '@connector/schema/control/control';

const generation = ctlCredentialGeneration.columns;
const SHOWN = {
  generation_id: generation.generation_id,
  account: generation.account,
  credential_identity: generation.credential_identity,
  provider: generation.provider,
  /** Where the backend has it, never what it is (con:INV-18). */
  secret_path: generation.secret_path,
  secret_version: generation.secret_version,
  mode: nullable(conCredentialGate.columns.mode),
  fence: nullable(conCredentialGate.columns.fence),
  authored_at: generation.authored_at,
  changed_at: nullable(conCredentialGate.columns.changed_at),
} as const;
const SELECT = `SELECT c.generation_id, c.account, c.credential_identity, c.provider, c.secret_path, c.secret_version, g.mode, g.fence,
       c.authored_at, g.changed_at
  FROM ${ctlCredentialGeneration.name} c LEFT JOIN ${conCredentialGate.name} g ON g.generation_id = c.generation_id`;
const LOOK_MAX = 500;
// Of one account there are as many as its credentials were rotated: they stand together and are put in their order.
const ORDER = `ORDER BY c.authored_at DESC, c.generation_id DESC LIMIT ${LOOK_MAX}`;
const NEWEST = readQuery(ctlCredentialGeneration, SHOWN, `${SELECT} WHERE c.account = :account ${ORDER}`, 'newest');
const OLDER = readQuery(
  ctlCredentialGeneration,
  SHOWN,
  `${SELECT} WHERE c.account = :account
     AND (c.authored_at < :authored_at OR (c.authored_at = :authored_at AND c.generation_id < :generation_id)) ${ORDER}`,
  'older',
);
const ONE = readQuery(ctlCredentialGeneration, SHOWN, `${SELECT} WHERE c.generation_id = :generation_id`, 'shown');

/** A generation beside its gate; `mode` is null while it has none. */
export type ShownCredential = ReturnType<typeof ONE.decode>;

export function readShownCredential(db: Db, generationId: CredentialGenerationId): Promise<ShownCredential | undefined> {
  return db.readOne(ONE, { generation_id: generationId });
}

/** Generations of an account, newest first, at most 500 at a look. */
export const credentialList = {
  page: (db: Db, account: AccountName, before: { readonly id: string; readonly at: Instant } | undefined) =>
    before === undefined
      ? db.read(NEWEST, { account })
      : db.read(OLDER, { account, authored_at: before.at, generation_id: CredentialGenerationId.parse(before.id) }),
  placeOf: (row: ShownCredential) => ({ id: row.generation_id, at: row.authored_at }),
  find: (db: Db, id: string) => readShownCredential(db, CredentialGenerationId.parse(id)),
  isIn: (row: ShownCredential, state: string): boolean => (row.mode ?? 'no_gate') === state,
};
