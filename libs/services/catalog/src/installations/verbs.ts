import type { RequestKey } from '@connector/catalog/model/request';
import { abandonInstallation, type Abandoned } from './abandon';
import {
  AbandonBody,
  AsPlannedBody,
  ChoicesBody,
  choicesIn,
  NoChoiceBody,
  RollBackBody,
  SeenBody,
  TargetBody,
  UpgradeBody,
} from './bodies';
import { rollBackInstallation, upgradeInstallation } from './change-release';
import type { PreparationParts } from './gather';
import { type Place, planAbandonment, type PlannedAbandonment, type PlannedChange, type PlannedRemoval } from './plan-move';
import { planRemoval, planRollback, planUpgrade } from './plan-move';
import { removeInstallation } from './remove';
import { type Resumed, resumeInstallation } from './resume';
import type { SeenInstallation } from './standing';

type Ended = { readonly installed: Resumed } | { readonly abandoned: Abandoned };
interface Verb<B extends object> {
  readonly Body: new () => B;
  run(parts: PreparationParts, seen: SeenInstallation, body: B, by: RequestKey): Promise<Ended>;
}
interface PlannedVerb<B extends object> {
  readonly Body: new () => B;
  run(parts: PreparationParts, place: Place, body: B): Promise<PlannedChange | PlannedRemoval | PlannedAbandonment>;
}

/** What its class checked is what it is run with. */
const verb = <B extends SeenBody>(Body: new () => B, run: Verb<B>['run']): Verb<SeenBody> => ({ Body, run }) as Verb<SeenBody>;
const plan = <B extends object>(Body: new () => B, run: PlannedVerb<B>['run']): PlannedVerb<object> =>
  ({ Body, run }) as PlannedVerb<object>;
const installed = async (answer: Promise<Resumed>): Promise<Ended> => ({ installed: await answer });

export const VERBS: ReadonlyMap<string, Verb<SeenBody>> = new Map([
  ['upgrade', verb(UpgradeBody, (parts, seen, body, by) => installed(upgradeInstallation(parts, seen, choicesIn(body), by)))],
  ['rollback', verb(RollBackBody, (parts, seen, body, by) => installed(rollBackInstallation(parts, seen, body.app_release_digest, by)))],
  ['remove', verb(AsPlannedBody, (parts, seen, _, by) => installed(removeInstallation(parts, seen, by)))],
  ['abandon', verb(AbandonBody, async (parts, seen, _, by) => ({ abandoned: await abandonInstallation(parts, seen, by) }))],
  ['resume', verb(SeenBody, (parts, seen, _, by) => installed(resumeInstallation(parts, seen, by)))],
]);

export const PLANS: ReadonlyMap<string, PlannedVerb<object>> = new Map([
  ['upgrade', plan(ChoicesBody, (parts, place, body) => planUpgrade(parts, place, choicesIn(body)))],
  ['rollback', plan(TargetBody, (parts, place, body) => planRollback(parts, place, body.app_release_digest))],
  ['remove', plan(NoChoiceBody, (parts, place) => planRemoval(parts, place))],
  ['abandon', plan(NoChoiceBody, (parts, place) => planAbandonment(parts, place))],
]);
