import { Controller, Inject, Param, Query, UseFilters } from '@nestjs/common';
import type { AccountName } from '@connector/kernel/brand';
import type { Explanation } from '@connector/connector/model/explain/explanation';
import type { Lineage } from '@connector/connector/model/lineage/lineage';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import { ACCOUNTS_MAX } from '@connector/connector/reads/lists/list';
import { Serves } from './api/operation';
import { openApi } from './api/openapi';
import { READS, ROUTES, SCHEMAS } from './api/routes';
import { ListQuery } from './bodies';
import { Claimant } from './claimant';
import { Lookups, notFound } from './lookups';
import { ROW_KINDS, type ListedRows, type RowKind } from './row-kinds';
import { RowProblem, RowProblemFilter } from './row-problem';
import { readStatus, type Status } from './status';

export const LOOKUPS = Symbol('lookups');
export const CLAIMANT = Symbol('claimant');
const DOCUMENT = openApi(ROUTES, SCHEMAS);

/** What people see. Every answer is a plain read of rows. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class ReadsController {
  constructor(
    @Inject(LOOKUPS) private readonly lookups: Lookups,
    @Inject(CLAIMANT) private readonly claimant: Claimant,
  ) {}

  @Serves(READS.openapi)
  openapi(): Promise<object> {
    return Promise.resolve(DOCUMENT);
  }

  @Serves(READS.status)
  status(): Promise<Status> {
    return readStatus(this.lookups.db, this.claimant);
  }

  @Serves(READS.explain)
  explain(@Param('id') id: string): Promise<Explanation> {
    return this.lookups.explain(id);
  }

  @Serves(READS.lineage)
  lineage(@Param('id') id: string): Promise<Lineage> {
    return this.lookups.lineage(id);
  }

  @Serves(READS.list)
  async list(@Param('kind') name: string, @Query() query: ListQuery): Promise<ListedRows> {
    const kind = kindOf(name);
    const { state, limit } = query;
    if (state !== undefined && !kind.states.includes(state)) throw noSuchState(state, kind);
    const after = query.after === undefined ? undefined : await this.lookups.idOf(query.after);
    return kind.list(this.lookups.db, { accounts: await this.#accounts(query.account), state, limit, after });
  }

  @Serves(READS.get)
  async get(@Param('kind') name: string, @Param('id') text: string): Promise<object> {
    const kind = kindOf(name);
    const id = await this.lookups.idOf(text);
    const row = await kind.get(this.lookups.db, id);
    if (row === undefined) throw notFound(id, 'No such row.');
    return row;
  }

  /** The accounts to list, in a fixed bound: each is one range of one index. */
  async #accounts(named: string | undefined): Promise<readonly AccountName[]> {
    if (named !== undefined) return [parseAccountName(named)];
    const accounts = await this.lookups.accounts();
    if (accounts.length <= ACCOUNTS_MAX) return accounts;
    const detail = `There are more than ${ACCOUNTS_MAX} accounts; name one by account=<provider>/<tenant>.`;
    throw new RowProblem('NameAnAccount', { detail, nextSteps: ['connector accounts list'] });
  }
}

function kindOf(name: string): RowKind {
  const kind = ROW_KINDS.get(name);
  if (kind !== undefined) return kind;
  const detail = `There is no list of ${name}; there are ${[...ROW_KINDS.keys()].join(', ')}.`;
  throw new RowProblem('NoSuchList', { detail });
}

function noSuchState(state: string, kind: RowKind): RowProblem {
  const detail = `No row is ever ${state}; the states are ${kind.states.join(', ')}.`;
  return new RowProblem('NoSuchState', { detail });
}
