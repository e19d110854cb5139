import { Body, Controller, Inject, Param, Query, UseFilters } from '@nestjs/common';
import { Serves } from './api/operation';
import { PACK_ACTS } from './api/routes';
import { PackListQuery, PublishPackBody } from './bodies';
import type { Packs } from './packs';
import { RowProblemFilter } from './row-problem';

export const PACKS = Symbol('packs');

@Controller('v1')
@UseFilters(RowProblemFilter)
export class PacksController {
  constructor(@Inject(PACKS) private readonly packs: Packs) {}

  @Serves(PACK_ACTS.list)
  list(@Query() { limit, after }: PackListQuery) {
    return this.packs.list(limit, after);
  }

  @Serves(PACK_ACTS.get)
  get(@Param('id') id: string) {
    return this.packs.get(id);
  }

  @Serves(PACK_ACTS.publish)
  publish(@Body() body: PublishPackBody) {
    return this.packs.publish(body);
  }
}
