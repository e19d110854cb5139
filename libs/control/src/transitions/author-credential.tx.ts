/**
 * author-credential: a new credential generation for one fixed secret version
 *
 * why     A generation names the secret that it uses by version; rotation is another generation (con:CRED-F, con:CRED-M). Its gate is opened
 *         by the connector's door right after; until then PREP refuses it (con:OPEN-47).
 * paths   author-credential
 * fence   the primary key; (account, credential identity, secret version); the use of the secret version
 * again   The generation id, or the triple: then the generation that stands is the answer.
 */
import type { AccountName } from '@connector/kernel/brand';
import { uuidText } from '@connector/kernel/document';
import { invariant } from '@connector/kernel/faults';
import { CredentialGenerationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { ctlCredentialGeneration } from '@connector/schema/control/control';
import { credentialReceipt, credentialTransport, type CredentialTransport } from '../model/documents';
import { controlDoors } from '../model/paths';
import { claimSecret, type SecretVersion } from './secret-use';

export interface AuthorCredential extends SecretVersion {
  readonly generationId: CredentialGenerationId;
  /** The stable name of the credential: what bindings call its CredentialRef. */
  readonly credentialIdentity: string;
  readonly provider: string;
  readonly account: AccountName;
  /** Non-secret settings by scheme. */
  readonly transport: CredentialTransport;
}

export type AuthoredCredential =
  | { readonly kind: 'authored' | 'already-authored'; readonly generationId: CredentialGenerationId }
  | { readonly kind: 'conflicting-credential'; readonly generationId: CredentialGenerationId }
  | { readonly kind: 'secret-is-channel-key' };

const STANDING = readRows(
  ctlCredentialGeneration,
  ['generation_id', 'account', 'credential_identity', 'secret_path', 'secret_version', 'provider', 'transport_digest'],
  `WHERE generation_id = :generation_id
      OR (account = :account AND credential_identity = :credential_identity AND secret_version = :secret_version) LIMIT 2`,
);

export async function authorCredential(db: Db, input: AuthorCredential): Promise<AuthoredCredential> {
  const row = rowOf(input);
  return db.fenced(controlDoors['author-credential'], async (tx) => {
    const standing = await readStanding(tx, row);
    if (standing !== undefined) return standing;
    if (!(await claimSecret(tx, input, 'credential'))) return { kind: 'secret-is-channel-key' };
    if ((await tx.insertNew(ctlCredentialGeneration, row)) === 'inserted') return { kind: 'authored', generationId: input.generationId };
    const faster = await readStanding(tx, row);
    invariant(faster !== undefined, 'HOUSE:control:RowVanished', `${input.generationId} was there and is not`);
    return faster;
  });
}

function rowOf(input: AuthorCredential) {
  const transport = credentialTransport.build(input.transport);
  const { generationId, credentialIdentity, provider, account, secretPath, secretVersion } = input;
  const receipt = credentialReceipt.build({
    receipt_protocol: 'nexuscrm.connector-credential-receipt/v1',
    credential_generation_id: uuidText(CredentialGenerationId.bytes(generationId)),
    credential_identity: credentialIdentity,
    provider,
    account,
    secret_version: `${secretPath}#${secretVersion}`,
    transport_configuration_digest: transport.digest,
  });
  return {
    generation_id: generationId,
    credential_identity: credentialIdentity,
    provider,
    account,
    secret_path: secretPath,
    secret_version: secretVersion,
    transport: transport.bytes,
    transport_digest: transport.digest,
    receipt: receipt.bytes,
    receipt_digest: receipt.digest,
  };
}

async function readStanding(tx: FencedTx, wanted: ReturnType<typeof rowOf>): Promise<AuthoredCredential | undefined> {
  const { generation_id, account, credential_identity, secret_version } = wanted;
  const rows = await tx.read(STANDING, { generation_id, account, credential_identity, secret_version });
  const row = rows.find((one) => one.generation_id === generation_id) ?? rows[0];
  if (row === undefined) return undefined;
  const members = ['account', 'credential_identity', 'secret_path', 'secret_version', 'provider', 'transport_digest'] as const;
  const same = members.every((member) => row[member] === wanted[member]);
  return { kind: same ? 'already-authored' : 'conflicting-credential', generationId: row.generation_id };
}
