import { name } from '@connector/kernel/column';
import { readQuery, readRows } from '@connector/kernel/statement';
import { secCommand, secHead, secProjection } from '@connector/schema/security/security';

const OF_ORGANIZATION = 'WHERE organization_id IN (:organization_id) LIMIT 100';
const { organization_id, security_epoch, projection_digest } = secProjection.columns;
const organizationParam = { organization_id };

/** What Runtime security keeps of an organization; its documents as text, so that minted ids in them are seen as such. */
export const SECURITY_READS = {
  securityHeads: readRows(secHead, ['organization_id', 'security_epoch', 'projection_digest', 'other_inputs_digest'], OF_ORGANIZATION),
  securityProjections: readQuery(
    secProjection,
    { organization_id, security_epoch, projection_digest, projection: name(4096), binding: name(2048) },
    `SELECT organization_id, security_epoch, projection_digest, projection, binding FROM ${secProjection.name} ${OF_ORGANIZATION}`,
    '',
    organizationParam,
  ),
  securityCommands: readRows(secCommand, ['command_id', 'organization_id', 'security_epoch'], OF_ORGANIZATION),
} as const;
