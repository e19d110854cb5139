import { invariant } from '@connector/kernel/faults';
import { readRows } from '@connector/kernel/statement';
import type { FencedTx } from '@connector/platform/db/fenced-tx';
import { catPublicationStep } from '@connector/schema/catalog/installations';
import type { Attempt } from '../../model/installation/attempt';
import type { PublicationStep } from '../../model/installation/publication';

const ATTEMPT = 'WHERE organization_id = :organization_id AND app_installation_id = :app_installation_id AND attempt = :attempt';
/** An attempt has fewer steps than this. */
const STEPS = readRows(catPublicationStep, ['step', 'entry', 'document'], `${ATTEMPT} LIMIT 10`);

export interface JournalRow {
  readonly entry: Buffer;
  readonly document: Buffer | null;
}

export const attemptKey = (organization: string, { installation, attempt }: Attempt) => ({
  organization_id: organization,
  app_installation_id: installation,
  attempt,
});

/** The rows of one attempt, by step; its organization's lineage row holds them still. */
export async function readSteps(tx: FencedTx, organization: string, attempt: Attempt): Promise<ReadonlyMap<string, JournalRow>> {
  const rows = await tx.read(STEPS, attemptKey(organization, attempt));
  return new Map(rows.map(({ step, entry, document }) => [step, { entry, document }]));
}

export function rowOf(steps: ReadonlyMap<string, JournalRow>, step: PublicationStep): JournalRow {
  const row = steps.get(step);
  invariant(row !== undefined, 'HOUSE:catalog:JournalIncomplete', `an open attempt has no ${step}`);
  return row;
}

/** A step of an open attempt, once: `recorded`, or the row that stands. */
export async function recordStep(
  tx: FencedTx,
  organization: string,
  attempt: Attempt,
  step: PublicationStep,
  row: JournalRow,
): Promise<'recorded' | JournalRow> {
  const inserted = await tx.insertNew(catPublicationStep, { ...attemptKey(organization, attempt), step, ...row });
  return inserted === 'inserted' ? 'recorded' : rowOf(await readSteps(tx, organization, attempt), step);
}
