import { ConfirmBindingBody, PlanBindingBody, StageBindingBody } from '../binding-bodies';
import { BindingsQuery, InstallBody, InstallsQuery, JournalQuery, MembershipBody, PlanInstallBody, ResumeBody } from '../installs-bodies';
import { PLANNED } from './answers';
import {
  BINDING_ACTIVATED,
  BINDING_FAILED,
  BINDING_RETIRED,
  BINDING_STAGED,
  BINDINGS,
  INSTALL_DETAIL,
  INSTALLS,
  JOURNAL,
  MEMBERSHIP,
  MEMBERSHIP_SET,
  OPENED,
} from './installs-shapes';
import { acts, reads } from './operation';

const WRITES = ['NotFound', 'CatalogRefused', 'PublicationBarrierHeld', 'CatalogUnavailable', 'OutcomeUnknown'] as const;
const ONE = ':organization/:installation';

/** Installations of Apps, and what serves in them (catalog.md B.3). */
export const INSTALL_ACTS = {
  list: reads('installs.list', 'installs', 'installations of an organization; `next` goes back as `after`', INSTALLS, {
    query: InstallsQuery,
  }),
  get: reads('installs.get', `installs/${ONE}`, 'one installation: state, releases, what serves', INSTALL_DETAIL, {
    refuses: ['NotFound'],
  }),
  journal: reads('installs.journal', `installs/${ONE}/journal`, 'what each step of each attempt committed, at most 200', JOURNAL, {
    query: JournalQuery,
  }),
  plan: acts('installs.plan', 'installs/plan', 'every step that would run, or every check that would refuse it', PLANNED, {
    body: PlanInstallBody,
    refuses: [...WRITES, 'PreparationFaulty'],
  }),
  install: acts('installs.install', 'installs/install', 'carries out exactly the plan of the digest', OPENED, {
    body: InstallBody,
    refuses: [...WRITES, 'PlanUnknown', 'CatalogMoved', 'PreparationRefused'],
  }),
  resume: acts('installs.resume', 'installs/resume', 'goes on with what the journal says', OPENED, {
    body: ResumeBody,
    refuses: [...WRITES, 'CatalogMoved', 'PreparationRefused'],
  }),
};

export const VIEW_ACTS = {
  bindings: reads('bindings.list', `bindings/${ONE}`, 'which exact release serves which capability, in every state', BINDINGS, {
    query: BindingsQuery,
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

const MOVES = { body: ConfirmBindingBody, refuses: [...WRITES, 'PlanUnknown', 'CatalogMoved', 'BindingIncompatible'] } as const;
export const BINDING_ACTS = {
  stage: acts('bindings.stage', 'bindings/stage', 'names the release that could serve a capability; nothing serves by it', BINDING_STAGED, {
    body: StageBindingBody,
    refuses: [...WRITES, 'BindingIncompatible'],
  }),
  plan: acts('bindings.plan', 'bindings/plan', 'what moving a binding would do, and its digest', PLANNED, {
    body: PlanBindingBody,
    refuses: ['NotFound', 'CatalogRefused'],
  }),
  activate: acts('bindings.activate', 'bindings/activate', 'carries out exactly the plan of the digest', BINDING_ACTIVATED, MOVES),
  retire: acts('bindings.retire', 'bindings/retire', 'carries out exactly the plan of the digest', BINDING_RETIRED, MOVES),
  fail: acts('bindings.fail', 'bindings/fail', 'carries out exactly the plan of the digest', BINDING_FAILED, MOVES),
};
