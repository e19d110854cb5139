import type { AccountName } from '@connector/kernel/brand';
import type { Digest } from '@connector/kernel/digest';
import type { CredentialGenerationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import { ctlCredentialGeneration } from '@connector/schema/control/control';

/** A generation with the name of its secret version, never the secret (con:CRED-R, con:INV-18). */
export interface StoredCredential {
  readonly account: AccountName;
  readonly secretPath: string;
  readonly secretVersion: string;
  readonly transportBytes: Buffer;
  readonly transportDigest: Digest;
  readonly receiptBytes: Buffer;
  readonly receiptDigest: Digest;
}

const EXACT = readRows(
  ctlCredentialGeneration,
  ['account', 'secret_path', 'secret_version', 'transport', 'transport_digest', 'receipt', 'receipt_digest'],
  'WHERE generation_id = :generation_id',
);

/** One generation by its exact id; names of credentials find nothing here (con:CRED-K). */
export async function readCredential(db: Db, generationId: CredentialGenerationId): Promise<StoredCredential | undefined> {
  const row = await db.readOne(EXACT, { generation_id: generationId });
  if (row === undefined) return undefined;
  const { account, secret_path: secretPath, secret_version: secretVersion } = row;
  const sealed = {
    transportBytes: row.transport,
    transportDigest: row.transport_digest,
    receiptBytes: row.receipt,
    receiptDigest: row.receipt_digest,
  };
  return { account, secretPath, secretVersion, ...sealed };
}

const AUTHORED = readRows(
  ctlCredentialGeneration,
  ['generation_id', 'credential_identity', 'provider', 'account', 'authored_at'],
  'WHERE generation_id = :generation_id',
  'authored',
);

/** For people: whose it is and since when. */
export function readAuthored(db: Db, generationId: CredentialGenerationId) {
  return db.readOne(AUTHORED, { generation_id: generationId });
}
