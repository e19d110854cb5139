import { Body, Controller, Headers, Inject, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import type { JsonObject } from '@connector/kernel/jcs';
import { bodyValidation, HttpProblem } from '@connector/platform/host/problem';
import { sendOutcome } from '@connector/platform/host/outcome';
import { askedBy } from '../asked-by';
import { documentProblem } from '../document-problem';
import { NothingWrittenFilter } from '../owner-silent';
import { As } from '../roles';
import { PLANNED, type Reply, sendAbandoned, sendInstalled } from './answers';
import { type SeenBody, seenIn } from './bodies';
import type { PreparationParts } from './gather';
import { PREPARATION } from './installations.controller';
import type { Place } from './plan-move';
import { PLANS, VERBS } from './verbs';

type Params = Readonly<Record<string, string>>;
const rules = bodyValidation();

/**
 * What an installation that there is may be asked to do (catalog.md B.3): each with the state and the activation epoch that the asker saw, and with
 * the counters of a plan where somebody confirmed one. Which verbs there are, and what each is told, is a table.
 */
@UseFilters(NothingWrittenFilter)
@Controller('v1/orgs/:organization/app-installations/:installation')
export class LifecycleController {
  constructor(@Inject(PREPARATION) private readonly parts: PreparationParts) {}

  @Post(':verb')
  @As('operator')
  async act(
    @Req() request: object,
    @Headers('idempotency-key') key: string | undefined,
    @Param() params: Params,
    @Body() sent: object,
    @Res() reply: Reply,
  ): Promise<void> {
    const verb = named(VERBS, params);
    const body = (await rules.transform(sent, { type: 'body', metatype: verb.Body })) as SeenBody;
    const place = placeIn(params);
    const by = askedBy(request, key, { ...place, verb: params['verb'] ?? '', asked: { ...(sent as JsonObject) } });
    const answer = await verb.run(this.parts, seenIn(place, body), body, by);
    if ('abandoned' in answer) sendAbandoned(reply, answer.abandoned);
    else sendInstalled(reply, answer.installed);
  }

  /** What it would do, or everything that would refuse it. Nothing is written. */
  @Post(':verb/plan')
  @As('operator')
  async plan(@Param() params: Params, @Body() sent: object, @Res() reply: Reply): Promise<void> {
    const verb = named(PLANS, params);
    const body = (await rules.transform(sent, { type: 'body', metatype: verb.Body })) as object;
    const place = placeIn(params);
    const planned = await verb.run(this.parts, place, body);
    if (planned.kind !== 'faulty') return sendOutcome(reply, PLANNED, planned);
    throw documentProblem('HOUSE:catalog:PreparationFaulty', `${params['verb'] ?? ''} of ${place.installation}`, '', planned);
  }
}

const placeIn = ({ organization = '', installation = '' }: Params): Place => ({ organization, installation });

function named<V>(table: ReadonlyMap<string, V>, { verb = '' }: Params): V {
  const found = table.get(verb);
  if (found !== undefined) return found;
  const detail = `An installation has no ${verb}; it has ${[...table.keys()].join(', ')}. Nothing was written.`;
  throw new HttpProblem({ status: 404, code: 'HOUSE:catalog:NoSuchVerb', detail });
}
