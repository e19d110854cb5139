/**
 * author-configuration: a new service configuration generation with its receipt
 *
 * why     Tenant configuration is frozen as bytes; a change is another generation and needs another epoch (con:SCG-M).
 * paths   author-configuration
 * fence   the primary key and the digest of the bytes. Credential generations are insert-only, so a plain look at them may decide.
 * again   The generation id, and the digest: the same bytes under another id are the generation that stands.
 */
import { uuidBytes, uuidText } from '@connector/kernel/document';
import type { Digest } from '@connector/kernel/digest';
import { invariant } from '@connector/kernel/faults';
import { ConfigurationId, CredentialGenerationId } from '@connector/kernel/ids';
import { readRows } from '@connector/kernel/statement';
import type { Db } from '@connector/platform/db/db';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { ctlCredentialGeneration, ctlServiceConfiguration } from '@connector/schema/control/control';
import { serviceConfiguration, serviceConfigurationReceipt, type ServiceConfiguration } from '../model/documents';
import { controlDoors } from '../model/paths';
import { checkConfiguration } from './configuration-check';

export interface AuthorConfiguration {
  readonly generationId: ConfigurationId;
  readonly configuration: ServiceConfiguration;
  readonly authoredBy: string;
}

export type AuthoredConfiguration =
  | { readonly kind: 'authored' | 'already-authored'; readonly generationId: ConfigurationId; readonly digest: Digest }
  | { readonly kind: 'conflicting-configuration'; readonly digest: Digest }
  | {
      readonly kind: 'credential-absent' | 'credential-of-other-account' | 'credential-of-other-identity';
      readonly account: string;
      readonly credentialRef: string;
    };

const STANDING = readRows(
  ctlServiceConfiguration,
  ['generation_id', 'generation_digest'],
  'WHERE generation_id = :generation_id OR generation_digest = :generation_digest LIMIT 2',
);
const NAMED = readRows(
  ctlCredentialGeneration,
  ['generation_id', 'account', 'credential_identity'],
  'WHERE generation_id IN (:generation_id)',
);

/** InputFault where the document is not whole or not canonical. */
export async function authorConfiguration(db: Db, input: AuthorConfiguration): Promise<AuthoredConfiguration> {
  const { generationId, configuration, authoredBy } = input;
  checkConfiguration(configuration);
  const document = serviceConfiguration.build(configuration);
  const receipt = serviceConfigurationReceipt.build({
    receipt_protocol: 'nexuscrm.connector-service-configuration-receipt/v1',
    generation_id: uuidText(ConfigurationId.bytes(generationId)),
    generation_digest: document.digest,
  });
  const sealed = { document: document.bytes, generation_digest: document.digest, receipt: receipt.bytes, receipt_digest: receipt.digest };
  return db.fenced(controlDoors['author-configuration'], async (tx) => {
    const refused = await relationRefused(tx, configuration.credential_relation);
    if (refused !== undefined) return refused;
    const inserted = await tx.insertNew(ctlServiceConfiguration, { generation_id: generationId, ...sealed, authored_by: authoredBy });
    if (inserted === 'inserted') return { kind: 'authored', generationId, digest: document.digest };
    return standing(tx, generationId, document.digest);
  });
}

/** con:SCG-K: every generation of the relation is there and is of its account and reference. */
async function relationRefused(
  tx: FencedTx,
  relation: ServiceConfiguration['credential_relation'],
): Promise<AuthoredConfiguration | undefined> {
  const wanted = relation.map((entry) => CredentialGenerationId.of(uuidBytes(entry.credential_generation_id)));
  if (wanted.length === 0) return undefined;
  const found = new Map((await tx.read(NAMED, { generation_id: [...new Set(wanted)] })).map((row) => [row.generation_id, row]));
  for (const [at, { account, credential_ref: credentialRef }] of relation.entries()) {
    const generation = found.get(wanted[at] as CredentialGenerationId);
    if (generation === undefined) return { kind: 'credential-absent', account, credentialRef };
    if (generation.account !== account) return { kind: 'credential-of-other-account', account, credentialRef };
    if (generation.credential_identity !== credentialRef) return { kind: 'credential-of-other-identity', account, credentialRef };
  }
  return undefined;
}

async function standing(tx: FencedTx, generationId: ConfigurationId, digest: Digest): Promise<AuthoredConfiguration> {
  const rows = await tx.read(STANDING, { generation_id: generationId, generation_digest: digest });
  const own = rows.find((row) => row.generation_id === generationId);
  if (own !== undefined && own.generation_digest !== digest) return { kind: 'conflicting-configuration', digest: own.generation_digest };
  const same = own ?? rows[0];
  invariant(same !== undefined, 'HOUSE:control:RowVanished', `${generationId} was there and is not`);
  return { kind: 'already-authored', generationId: same.generation_id, digest };
}
