import { Controller, Get, Inject, Param, Query, UseFilters } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Length, Max, Min } from 'class-validator';
import type { AccountName } from '@connector/kernel/brand';
import type { EvidenceRow, Explanation } from '@connector/connector/model/explain/explanation';
import type { Lineage } from '@connector/connector/model/lineage/lineage';
import { parseAccountName } from '@connector/connector/model/serving/account-name';
import { ACCOUNTS_MAX, LIST_MAX } from '@connector/connector/reads/lists/list';
import { Claimant } from './claimant';
import { Lookups, notFound } from './lookups';
import { ROW_KINDS, type ListedRows, type RowKind } from './row-kinds';
import { RowProblem, RowProblemFilter } from './row-problem';
import { readStatus, type Status } from './status';

export const LOOKUPS = Symbol('lookups');
export const CLAIMANT = Symbol('claimant');

export class ListQuery {
  @IsOptional() @Length(1, 127) account?: string;
  @IsOptional() @Length(1, 32) state?: string;
  /** The id of the last row that was seen. */
  @IsOptional() @Length(1, 64) after?: string;
  @Type(() => Number) @IsInt() @Min(1) @Max(LIST_MAX) limit: number = 50;
}

/** What people see. Every answer is a plain read of rows. */
@Controller('v1')
@UseFilters(RowProblemFilter)
export class ReadsController {
  constructor(
    @Inject(LOOKUPS) private readonly lookups: Lookups,
    @Inject(CLAIMANT) private readonly claimant: Claimant,
  ) {}

  @Get('status')
  status(): Promise<Status> {
    return readStatus(this.lookups.db, this.claimant);
  }

  @Get('explain/:id')
  explain(@Param('id') id: string): Promise<Explanation> {
    return this.lookups.explain(id);
  }

  @Get('lineage/:id')
  lineage(@Param('id') id: string): Promise<Lineage> {
    return this.lookups.lineage(id);
  }

  @Get(':kind')
  async list(@Param('kind') name: string, @Query() query: ListQuery): Promise<ListedRows> {
    const kind = kindOf(name);
    const { state, limit } = query;
    if (state !== undefined && !kind.states.includes(state)) throw noSuchState(state, kind);
    const after = query.after === undefined ? undefined : await this.lookups.idOf(query.after);
    return kind.list(this.lookups.db, { accounts: await this.#accounts(query.account), state, limit, after });
  }

  @Get(':kind/:id')
  async get(@Param('kind') name: string, @Param('id') text: string): Promise<EvidenceRow> {
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
    throw new RowProblem({ status: 400, code: 'HOUSE:operator:NameAnAccount', detail, nextSteps: ['connector accounts list'] });
  }
}

function kindOf(name: string): RowKind {
  const kind = ROW_KINDS.get(name);
  if (kind !== undefined) return kind;
  const detail = `There is no list of ${name}; there are ${[...ROW_KINDS.keys()].join(', ')}.`;
  throw new RowProblem({ status: 404, code: 'HOUSE:operator:NoSuchList', detail });
}

function noSuchState(state: string, kind: RowKind): RowProblem {
  const detail = `No row is ever ${state}; the states are ${kind.states.join(', ')}.`;
  return new RowProblem({ status: 400, code: 'HOUSE:operator:NoSuchState', detail });
}
