import {
  ActivateBindingBody,
  CloseReferenceBody,
  ConfirmBindingBody,
  DecideRetentionBody,
  OpenReferenceBody,
  PlanBindingBody,
  StageBindingBody,
} from '../binding-bodies';
import { BindingsQuery, InstallBody, InstallsQuery, JournalQuery, MembershipBody, PlanInstallBody, ResumeBody } from '../installs-bodies';
import { MoveBody, PlanMoveBody } from '../move-bodies';
import { PLANNED } from './answers';
import {
  BINDING_ACTIVATED,
  BINDING_DETAIL,
  BINDING_FAILED,
  BINDING_RETIRED,
  BINDING_STAGED,
  BINDINGS,
  INSTALL_ABANDONED,
  INSTALL_DETAIL,
  INSTALLS,
  JOURNAL,
  MEMBERSHIP,
  MEMBERSHIP_SET,
  OPENED,
  REFERENCE_CLOSED,
  REFERENCE_OPENED,
  RETENTION_DECIDED,
} from './installs-shapes';
import { acts, reads } from './operation';

const WRITES = ['NotFound', 'CatalogRefused', 'PublicationBarrierHeld', 'CatalogUnavailable', 'OutcomeUnknown'] as const;
/** Before it writes these, the catalog asks others. */
const ASKS = [...WRITES, 'CatalogOwnerSilent'] as const;
const MOVES = [...ASKS, 'PlanUnknown', 'CatalogMoved', 'PreparationRefused'] as const;
const DOES_PLAN = 'carries out exactly the plan of the digest';
const ONE = ':organization/:installation';

/** Installations of Apps, and what serves in them (catalog.md B.3). */
export const INSTALL_ACTS = {
  list: reads('installs.list', 'installs', 'installations of an organization; `next` goes back as `after`', INSTALLS, {
    query: InstallsQuery,
  }),
  get: reads('installs.get', `installs/${ONE}`, 'one installation: state, releases, what serves', INSTALL_DETAIL, {
    refuses: ['NotFound'],
  }),
  journal: reads(
    'installs.journal',
    `installs/${ONE}/journal`,
    'what each step of each attempt committed; `next` goes back as `from_attempt`',
    JOURNAL,
    {
      ...{ query: JournalQuery, refuses: ['NotFound'] },
    },
  ),
  plan: acts('installs.plan', 'installs/plan', 'every step that would run, or every check that would refuse it', PLANNED, {
    body: PlanInstallBody,
    refuses: ['NotFound', 'CatalogRefused', 'CatalogUnavailable', 'PreparationFaulty'],
  }),
  install: acts('installs.install', 'installs/install', DOES_PLAN, OPENED, {
    body: InstallBody,
    refuses: MOVES,
  }),
  resume: acts('installs.resume', 'installs/resume', 'goes on with what the journal says', OPENED, {
    body: ResumeBody,
    refuses: [...ASKS, 'CatalogMoved', 'PreparationRefused'],
  }),
};

/** What is done to an installation that there is, each by its plan. */
export const MOVE_ACTS = {
  plan: acts('installs.plan-move', 'installs/plan-move', 'every step that would run, or everything that would refuse it', PLANNED, {
    body: PlanMoveBody,
    refuses: ['NotFound', 'CatalogRefused', 'CatalogUnavailable', 'PreparationFaulty'],
  }),
  upgrade: acts('installs.upgrade', 'installs/upgrade', DOES_PLAN, OPENED, { body: MoveBody, refuses: MOVES }),
  rollback: acts('installs.rollback', 'installs/rollback', DOES_PLAN, OPENED, { body: MoveBody, refuses: MOVES }),
  remove: acts('installs.remove', 'installs/remove', DOES_PLAN, OPENED, { body: MoveBody, refuses: MOVES }),
  abandon: acts('installs.abandon', 'installs/abandon', DOES_PLAN, INSTALL_ABANDONED, { body: MoveBody, refuses: MOVES }),
};

export const VIEW_ACTS = {
  bindings: reads('bindings.list', `bindings/${ONE}`, 'which exact release serves which capability, in every state', BINDINGS, {
    ...{ query: BindingsQuery, refuses: ['NotFound'] },
  }),
  membership: reads(
    'membership.show',
    `membership/${ONE}/:workload`,
    'the view of a workload as an epoch would freeze it now',
    MEMBERSHIP,
    {
      refuses: ['NotFound'],
    },
  ),
  setMembership: acts('membership.set', 'membership', 'replaces what a workload is wanted to have, whole', MEMBERSHIP_SET, {
    body: MembershipBody,
    refuses: [...WRITES, 'CatalogMoved', 'MembershipFaulty'],
  }),
};

const CONFIRMED = [...WRITES, 'PlanUnknown'] as const;
const MAY_FIT = [...ASKS, 'PlanUnknown', 'CatalogMoved', 'BindingIncompatible'] as const;
export const BINDING_ACTS = {
  get: reads('bindings.get', `bindings/${ONE}/:binding`, 'one binding, what refers to it and what was decided of it', BINDING_DETAIL, {
    refuses: ['NotFound'],
  }),
  stage: acts('bindings.stage', 'bindings/stage', 'names the release that could serve a capability; nothing serves by it', BINDING_STAGED, {
    body: StageBindingBody,
    refuses: [...ASKS, 'BindingIncompatible'],
  }),
  refer: acts('bindings.open-reference', 'bindings/open-reference', 'says that a route or work relies on a binding', REFERENCE_OPENED, {
    body: OpenReferenceBody,
    refuses: WRITES,
  }),
  plan: acts('bindings.plan', 'bindings/plan', 'what moving a binding would do, and its digest', PLANNED, {
    body: PlanBindingBody,
    refuses: ['NotFound', 'CatalogRefused'],
  }),
  activate: acts('bindings.activate', 'bindings/activate', DOES_PLAN, BINDING_ACTIVATED, { body: ActivateBindingBody, refuses: MAY_FIT }),
  retire: acts('bindings.retire', 'bindings/retire', DOES_PLAN, BINDING_RETIRED, { body: ConfirmBindingBody, refuses: CONFIRMED }),
  fail: acts('bindings.fail', 'bindings/fail', DOES_PLAN, BINDING_FAILED, { body: ConfirmBindingBody, refuses: CONFIRMED }),
  closeReference: acts('bindings.close-reference', 'bindings/close-reference', DOES_PLAN, REFERENCE_CLOSED, {
    body: CloseReferenceBody,
    refuses: CONFIRMED,
  }),
  decideRetention: acts('bindings.decide-retention', 'bindings/decide-retention', DOES_PLAN, RETENTION_DECIDED, {
    body: DecideRetentionBody,
    refuses: CONFIRMED,
  }),
};
