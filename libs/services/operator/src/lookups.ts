import type { AccountName } from '@connector/kernel/brand';
import type { Explanation } from '@connector/connector/model/explain/explanation';
import type { Lineage } from '@connector/connector/model/lineage/lineage';
import { explain } from '@connector/connector/reads/explain/explain';
import type { ExplainSources } from '@connector/connector/reads/explain/sources';
import { ACCOUNTS_MAX } from '@connector/connector/reads/lists/list';
import { longIds, shortId } from '@connector/connector/reads/lists/short-ids';
import { rootOf } from '@connector/connector/reads/lineage/root';
import { readGates } from '@connector/connector/reads/serving/gates';
import { readAuthored } from '@connector/control/reads/credential';
import type { Db } from '@connector/platform/db/db';
import { readCommandRows } from '@connector/runtime/reads/lineage-rows';
import { buildLineage } from './lineage/build-lineage';
import { readLineage } from './lineage/lineage-rows';
import type { FrozenPolicies } from './frozen-policies';
import { RowProblem } from './row-problem';

const CANDIDATES_MAX = 20;

/** Everything that people ask about one id. All of it reads. */
export class Lookups {
  readonly #sources: ExplainSources;

  constructor(
    readonly db: Db,
    policies: FrozenPolicies,
  ) {
    this.#sources = {
      alertAfter: (basis) => policies.alertAfter(basis),
      attemptsMax: async (basis) => (await policies.accountOf(basis))?.policies.attempts_max,
      handover: async (commandId) => (await readCommandRows(db, [commandId]))[0],
      authored: (generationId) => readAuthored(db, generationId),
    };
  }

  async accounts(): Promise<readonly AccountName[]> {
    return (await readGates(this.db)).map(({ account }) => account);
  }

  /** The whole id of a short one, where exactly one row of the last day has it; a whole id is itself. */
  async idOf(text: string): Promise<string> {
    const short = shortId(text);
    if (short === undefined) return text;
    const [only, ...others] = await longIds(this.db, short, (await this.accounts()).slice(0, ACCOUNTS_MAX));
    if (only === undefined) throw notFound(text, 'No row of the last day ends so. Give the whole id.');
    if (others.length === 0) return only;
    const candidates = [only, ...others].slice(0, CANDIDATES_MAX);
    throw new RowProblem('ShortIdAmbiguous', { detail: `${text} means ${candidates.length} rows of the last day.`, candidates });
  }

  async explain(text: string): Promise<Explanation> {
    const id = await this.idOf(text);
    const answer = await explain(this.db, id, this.#sources);
    if (answer.kind === 'explained') return answer.explanation;
    if (answer.kind === 'not-found') throw notFound(id, 'No such row. A wrong id and an absent row look the same.');
    throw new RowProblem('NotExplainable', {
      detail: `${id} is no id of a row that can wait.`,
      nextSteps: [
        'ids begin with rcp_, evt_, prj_, lan_, exe_, cmd_, obc_, eff_, prm_, lnk_, epo_, crg_ or gen_; an account is account/<provider>/<tenant>',
      ],
    });
  }

  async lineage(text: string): Promise<Lineage> {
    const id = await this.idOf(text);
    const root = await rootOf(this.db, id);
    const rows = root === undefined ? undefined : await readLineage(this.db, root);
    if (rows === undefined) throw await this.#withoutReceipt(id);
    return buildLineage(id, rows);
  }

  /** A row that is there and came from no receipt is no unknown id: what it is, and where to look at it. */
  async #withoutReceipt(id: string): Promise<RowProblem> {
    const answer = await explain(this.db, id, this.#sources);
    if (answer.kind !== 'explained') return notFound(id, 'No receipt stands above it.');
    const { kind, state } = answer.explanation.subject;
    return new RowProblem('NoLineage', {
      explanation: answer.explanation,
      detail: `${id} is of the kind ${kind}, ${state}; a lineage begins at a receipt, and none stands above it.`,
      nextSteps: [`connector explain ${id}`],
    });
  }
}

export function notFound(id: string, detail: string): RowProblem {
  return new RowProblem('NotFound', {
    detail: `${id}: ${detail}`,
    nextSteps: ['connector receipts list'],
  });
}
