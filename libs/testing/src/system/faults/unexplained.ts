import type { ServiceClient } from '@connector/platform/http/service-client';
import { readAllRows } from '../audit/rows';
import { unfinishedOf } from '../audit/unfinished';
import type { SystemUnderTest } from '../system';

const AT_ONCE = 8;

/** What the operator's own question said of every unfinished row. */
export interface Walk {
  readonly asked: number;
  /** Rows by the reason that they wait for; what ended meanwhile is `done`. */
  readonly reasons: Readonly<Record<string, number>>;
  /** Rows of which nobody can say why they wait, one sentence each. */
  readonly unexplained: readonly string[];
}

/** Asks `explain` of the operator, as a person would, about every row that is not finished; I15: each has a reason with a name. */
export async function walkUnfinished(system: SystemUnderTest): Promise<Walk> {
  const open = [...unfinishedOf(await readAllRows(system.db))];
  const asked = open.length;
  const client = await system.client('operator');
  const reasons: Record<string, number> = {};
  const unexplained: string[] = [];
  const worker = async (): Promise<void> => {
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const said = await askedOf(client, id);
      if (said.kind === 'unexplained') unexplained.push(`${id}: ${said.why}`);
      else reasons[said.code] = (reasons[said.code] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { asked, reasons, unexplained };
}

type Said = { readonly kind: 'reason'; readonly code: string } | { readonly kind: 'unexplained'; readonly why: string };

interface Explained {
  readonly verdict: string;
  readonly reason: { readonly code: string } | null;
}

async function askedOf(client: ServiceClient, id: string): Promise<Said> {
  try {
    const { status, body } = await client.call('GET', `/v1/explain/${id}`);
    if (status !== 200) return { kind: 'unexplained', why: `the operator answered ${status}` };
    const { verdict, reason } = body as Explained;
    if (verdict === 'done') return { kind: 'reason', code: verdict };
    return reason === null ? { kind: 'unexplained', why: `it is ${verdict}, for no reason` } : { kind: 'reason', code: reason.code };
  } catch (thrown) {
    return { kind: 'unexplained', why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
