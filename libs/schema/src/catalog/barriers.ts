import type { BarrierFence, BarrierHolderFence } from '@connector/kernel/brand';
import { bytes, id, name, nullable, u64, word } from '@connector/kernel/column';
import { AttemptId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

/**
 * cat:INT-16, catalog.md B.5: whoever authors, publishes or selects in an installation locks this row first. Born with the installation, never
 * deleted. No column holds an end: only a release opens it (cat:INT-17).
 */
export const catPublicationBarrier = table('cat_publication_barrier', {
  about: 'Whether an activation holds the authors of an installation off, and which.',
  rank: 'catalog-barrier',
  columns: {
    organization_id: name(64),
    app_installation_id: name(64),
    state: word(8),
    /** Rises with every hold. */
    barrier_fence: u64<BarrierFence>(),
    /** The highest that ever held or released; below it nobody moves the row. */
    holder_fence: u64<BarrierHolderFence>(),
    /** With the receipt NULL while it is open. */
    attempt_id: nullable(id(AttemptId)),
    receipt: nullable(bytes(2_048)),
  },
  primary: ['organization_id', 'app_installation_id'],
  index: { attempt: ['attempt_id'] },
});
