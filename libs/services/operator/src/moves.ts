import { closed, DECIMAL, DIGEST, oneOf, type Shape, type TypeOf } from '@connector/kernel/document-shape';
import type { JsonObject } from '@connector/kernel/jcs';
import { CANDIDATE_KINDS } from '@connector/catalog/model/installation/candidate-kind';
import { installationMachine } from '@connector/catalog/model/installation/installation';
import { STEPS } from '@connector/catalog/model/installation/publication';
import { readInstallation } from '@connector/catalog/reads/installation';
import type { Db } from '@connector/platform/db/db';
import { INSTALL_ABANDONED } from './api/installs-shapes';
import { orNull, some, STRING, wordOf } from './api/shapes';
import { actRefused, refusalOf } from './catalog-refusals';
import { PREPARED } from './install-plan';
import { openedBy } from './installs';
import type { MoveBody, PlanMoveBody } from './move-bodies';
import { type Move, type MoveExpected, movePlan, type MoveVerb } from './move-plan';
import type { OwnerAnswer, OwnerClient } from './owner-client';
import { planDigest, type PlannedAct } from './plan';
import { planOfDigest } from './registry-confirm';
import { RowProblem } from './row-problem';
import { shownAs } from './shown';

const STANDS = {
  ...{ kind: oneOf('prepared'), app_id: STRING, state: wordOf(installationMachine.states), attempt: DECIMAL },
  ...{ activation_epoch: DECIMAL, active_release_digest: orNull(DIGEST) },
};
const COUNTERS = { catalog_revision: DECIMAL, security_epoch: DECIMAL };
const GATE = closed({
  ...{ binding_id: STRING, capability_id: STRING, state: STRING, references: some(STRING), let_go_by: orNull(STRING) },
});
const CHANGE = closed({ ...STANDS, ...PREPARED });
const REMOVAL = closed({ ...STANDS, ...COUNTERS, gates: some(GATE) });
const ABANDONMENT = closed({ ...STANDS, candidate_kind: wordOf(CANDIDATE_KINDS), steps_done: some(wordOf(STEPS)) });

interface Found {
  readonly expected: MoveExpected;
  /** What was counted beside, for whoever decides. */
  readonly estimate: JsonObject;
}
const reader = <T>(shape: Shape<T>, read: (found: T) => Found) => {
  const shown = shownAs(shape);
  return (answer: OwnerAnswer): Found => read(shown(Object.fromEntries(answer.body)));
};
interface Standing {
  readonly state: string;
  readonly activation_epoch: string;
  readonly catalog_revision: string;
  readonly security_epoch: string;
}
const counted = ({ state, activation_epoch, catalog_revision, security_epoch }: Standing): MoveExpected => ({
  ...{ state, activation_epoch, catalog_revision, security_epoch },
});

const changed = reader(CHANGE, (found) => ({
  expected: counted(found),
  estimate: {
    ...{ app_id: found.app_id, serves: found.active_release_digest ?? 'nothing', semantic_version: found.semantic_version },
    ...{ schema_generation: found.schema_generation, namespaces: [...found.namespaces] },
    handlers: found.handlers.map((one) => `${one.capability_id} by ${one.handler_ref}`),
  },
}));
const removed = reader(REMOVAL, (found) => ({
  expected: counted(found),
  estimate: {
    ...{ app_id: found.app_id, serves: found.active_release_digest ?? 'nothing', dependents: 'none' },
    gates: found.gates.map(gateLine),
  },
}));
const abandoned = reader(ABANDONMENT, ({ state, activation_epoch, attempt, ...found }) => ({
  expected: { state, activation_epoch, attempt },
  estimate: {
    ...{ app_id: found.app_id, serves: found.active_release_digest ?? 'nothing', candidate: found.candidate_kind },
    steps_done: [...found.steps_done],
  },
}));
const READ: Readonly<Record<MoveVerb, (answer: OwnerAnswer) => Found>> = {
  ...{ upgrade: changed, rollback: changed, remove: removed, abandon: abandoned },
};

function gateLine({ binding_id: binding, capability_id: capability, state, references, let_go_by: by }: TypeOf<typeof GATE>): string {
  const waits = by === null ? `waits for ${references.join(', ')}` : `let go by ${by}`;
  return `${binding} ${state} for ${capability}: ${references.length === 0 ? 'nothing refers to it' : waits}`;
}

const givenUp = shownAs(INSTALL_ABANDONED);
type Installed = Pick<PlanMoveBody, 'organization' | 'installation'>;
const lookOf = ({ organization, installation }: Installed): string =>
  `connector installs get ${installation} --organization ${organization}`;
const placeOf = ({ organization, installation }: Installed, verb: string): string =>
  `/v1/orgs/${encodeURIComponent(organization)}/app-installations/${encodeURIComponent(installation)}/${verb}`;

/** What is done to an installation, each by its plan. The catalog judges, and its doors judge again what a plan bound (cat:INST-T01 to INST-T18). */
export class Moves {
  constructor(
    private readonly db: Db,
    private readonly catalog: OwnerClient,
  ) {}

  async plan(body: PlanMoveBody): Promise<PlannedAct> {
    const { verb, organization, installation } = body;
    const request = await this.#requestOf(body);
    const answer = await this.catalog.ask('POST', `${placeOf(body, verb)}/plan`, request);
    if (answer.status >= 300) throw refusalOf(answer, 'PreparationFaulty', lookOf(body));
    const { expected, estimate } = READ[verb](answer);
    const plan = movePlan({ verb, organization, installation, request, expected });
    const digest = planDigest(plan);
    return { plan, digest, estimate, confirm: confirmOf({ verb, organization, installation, request, expected }, digest) };
  }

  async publish(verb: 'upgrade' | 'rollback' | 'remove', body: MoveBody) {
    const { answer, expected } = await this.#confirmed(verb, body);
    return openedBy(answer, expected, lookOf(body));
  }

  async abandon(body: MoveBody) {
    const { answer, expected } = await this.#confirmed('abandon', body);
    if (answer.status < 300) return givenUp(Object.fromEntries(answer.body));
    throw actRefused(answer, expected, lookOf(body));
  }

  /** Exactly the plan of that digest, or nothing: it is made again, and the door compares what it expects under the lock. */
  async #confirmed(verb: MoveVerb, body: MoveBody) {
    const { organization, installation, confirm, operation_id: idempotencyKey, by } = body;
    const request = await this.#requestOf({ ...body, verb });
    const expected = expectedIn(body);
    const again = `connector installs ${verb} ${installation}${chosenBy(verb, request)} --organization ${organization} --plan`;
    planOfDigest(movePlan({ verb, organization, installation, request, expected }), confirm, again);
    const counters = Object.fromEntries(Object.entries(expected).map(([name, value]) => [`expected_${name}`, value]));
    const asked = { ...request, ...counters };
    return { expected, answer: await this.catalog.keyed('POST', placeOf(body, verb), asked, { idempotencyKey, by }) };
  }

  /** The file of an installation serves for its upgrade too: the App, which is no choice any more (cat:INST-04), must be the same. */
  async #requestOf({ request, organization, installation }: PlanMoveBody): Promise<JsonObject> {
    const { app_id: named, ...choices } = request ?? {};
    const found = named === undefined ? undefined : await readInstallation(this.db, organization, installation);
    if (found?.kind !== 'found' || found.appId === named) return choices;
    const detail = `The request is for ${String(named)}; ${installation} is of ${found.appId}, and stays of it. Nothing was written.`;
    throw new RowProblem('CatalogRefused', {
      detail,
      actual: { app_id: found.appId },
      nextSteps: [lookOf({ organization, installation })],
    });
  }
}

function expectedIn(body: MoveBody): MoveExpected {
  const { expected_state: state, expected_activation_epoch: activation_epoch } = body;
  const { expected_catalog_revision: revision, expected_security_epoch: security, expected_attempt: attempt } = body;
  return {
    ...{ state, activation_epoch },
    ...(revision === undefined ? {} : { catalog_revision: revision }),
    ...(security === undefined ? {} : { security_epoch: security }),
    ...(attempt === undefined ? {} : { attempt }),
  };
}

const chosenBy = (verb: MoveVerb, request: JsonObject): string =>
  ({ upgrade: ' <file>', rollback: ` --to ${String(request['app_release_digest'])}`, remove: '', abandon: '' })[verb];

function confirmOf({ verb, organization, installation, request, expected }: Move, digest: string): string {
  const { state, activation_epoch, catalog_revision, security_epoch, attempt } = expected;
  const counters =
    attempt === undefined
      ? `--expected-revision ${catalog_revision ?? ''} --expected-security-epoch ${security_epoch ?? ''}`
      : `--expected-attempt ${attempt}`;
  const seen = `--expected-state ${state} --expected-activation-epoch ${activation_epoch} ${counters}`;
  return `connector installs ${verb} ${installation}${chosenBy(verb, request)} --organization ${organization} ${seen} --confirm ${digest}`;
}
