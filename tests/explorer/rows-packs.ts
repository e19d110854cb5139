import { readQuery, readRows } from '@connector/kernel/statement';
import { pckGeneration, pckInstallation, pckPublicationBarrier } from '@connector/schema/packs/packs';

const { organization_id } = pckInstallation.columns;
const { owner_pack, pack_version } = pckGeneration.columns;

/** What the pack registry has for an organization: its barrier, and the generations of its packs. */
export const PACK_READS = {
  packBarriers: readRows(
    pckPublicationBarrier,
    ['organization_id', 'state', 'barrier_fence', 'holder_fence', 'attempt_id'],
    'WHERE organization_id IN (:organization_id) LIMIT 100',
  ),
  packGenerations: readQuery(
    pckGeneration,
    { organization_id, owner_pack, pack_version },
    `SELECT i.organization_id, g.owner_pack, g.pack_version FROM ${pckInstallation.name} i JOIN ${pckGeneration.name} g ON g.owner_pack = i.owner_pack
      WHERE i.organization_id IN (:organization_id) LIMIT 1000`,
    'of-organization',
    { organization_id },
  ),
} as const;
