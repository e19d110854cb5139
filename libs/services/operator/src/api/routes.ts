import { closed, listOf, type Shape } from '@connector/kernel/document-shape';
import { LIST_MAX } from '@connector/connector/reads/lists/list';
import {
  ConfirmAbandonBody,
  ConfirmDecisionBody,
  ConfirmMoveBody,
  ConfirmReleaseBody,
  ListQuery,
  PackListQuery,
  PlanAbandonBody,
  PlanDecisionBody,
  PlanMoveBody,
  PlanReleaseBody,
  PublishPackBody,
} from '../bodies';
import { ROW_KINDS, type ListedRows, type RowKind } from '../row-kinds';
import { ABANDONED, ACCOUNT_DETAIL, ACCOUNTS, CREDENTIAL_DETAIL, HALTED, PLANNED, REENABLED, RESUMED, REVOKED, STATUS } from './answers';
import { BARRIERS, BARRIERS_RELEASED } from './barriers';
import { BINDING_ACTS, INSTALL_ACTS, MOVE_ACTS, VIEW_ACTS } from './installs-routes';
import { acts, type Operation, reads, type Route } from './operation';
import type { ProblemName } from './problems';
import { APP_ACTS, AUDIT_ACTS, PUBLISHER_ACTS, RELEASE_ACTS } from './registry-routes';
import { PACK_DETAIL, PACK_PUBLISHED, PACKS } from './packs';
import { named, orNull, STRING } from './shapes';
import { EXPLANATION, LINEAGE, LINEAGE_NODE } from './stories';
import type { Explanation } from '@connector/connector/model/explain/explanation';
import type { Lineage } from '@connector/connector/model/lineage/lineage';

/** Schemas that several places point at. */
export const SCHEMAS: Readonly<Record<string, Shape<unknown>>> = {
  Explanation: EXPLANATION,
  Lineage: LINEAGE,
  LineageNode: LINEAGE_NODE,
  Planned: PLANNED,
};

const BY_ID = ['NotFound', 'ShortIdAmbiguous'] as const satisfies readonly ProblemName[];
const DECIDE = [...BY_ID, 'NoGate', 'PlanUnknown', 'PlanStale', 'Refused', 'ControlUnavailable', 'OutcomeUnknown'] as const;
const MOVE = ['NotFound', 'PlanUnknown', 'PlanStale', 'Refused', 'CoordinatorUnavailable', 'OutcomeUnknown'] as const;

type Kinds = readonly (readonly [string, RowKind])[];
const ofKinds = <T>(kinds: Kinds, path: string, make: (name: string, kind: RowKind) => Omit<Operation, 'path'>): Route<T> => ({
  ...{ method: 'get', path, role: 'reader' },
  operations: kinds.map(([name, kind]) => ({ ...make(name, kind), path: path.replace(':kind', name) })),
});

const LISTS = ofKinds<ListedRows>([...ROW_KINDS], ':kind', (name, { row, states }) => ({
  id: `${name}.list`,
  summary: `${name}, newest first; \`next\` goes back as \`after\``,
  query: ListQuery,
  states,
  answer: closed({ rows: listOf(row, LIST_MAX), next: orNull(STRING) }),
  refuses: ['NoSuchState', 'NameAnAccount', ...BY_ID],
}));
/** One credential generation is shown with what was decided of it, by a path of its own. */
const SHOWN = [...ROW_KINDS].filter(([name]) => name !== 'credentials');
const ROWS = ofKinds<object>(SHOWN, ':kind/:id', (name, { shown }) => ({
  id: `${name}.get`,
  summary: 'one row by its id or `xyz_…` and its last six characters',
  answer: shown,
  refuses: BY_ID,
}));

/** Every path of the operator API. `accounts` and `credentials/:id` stand before `:kind` in the router. */
export const READS = {
  openapi: reads<object>('openapi', 'openapi.json', 'this document', { schema: { type: 'object' } }),
  status: reads('status', 'status', 'what serves, on which epoch, what is unfinished, which stages have work', STATUS),
  explain: reads('explain', 'explain/:id', 'why a row waits, whose move it is, what may be done', named<Explanation>('Explanation'), {
    refuses: [...BY_ID, 'NotExplainable'],
  }),
  lineage: reads('lineage', 'lineage/:id', 'every row below the receipt that an id belongs to', named<Lineage>('Lineage'), {
    refuses: [...BY_ID, 'NoLineage'],
  }),
  list: LISTS,
  get: ROWS,
};

export const ACTS = {
  accounts: reads('accounts.list', 'accounts', 'every account, its mode and who moved it last', ACCOUNTS),
  account: reads('accounts.get', 'accounts/:provider/:tenant', 'one account: gate, epoch, channels', ACCOUNT_DETAIL, {
    refuses: ['NotFound'],
  }),
  planMove: acts('accounts.plan', 'accounts/plan', 'what a halt or a resume would do, and its digest', PLANNED, {
    body: PlanMoveBody,
    refuses: ['NotFound', 'NotInMode'],
  }),
  halt: acts('accounts.halt', 'accounts/halt', 'carries out exactly the plan of the digest', HALTED, {
    body: ConfirmMoveBody,
    refuses: MOVE,
  }),
  resume: acts('accounts.resume', 'accounts/resume', 'carries out exactly the plan of the digest', RESUMED, {
    body: ConfirmMoveBody,
    refuses: MOVE,
  }),
  planAbandon: acts('permits.plan-abandon', 'permits/plan-abandon', 'what closing a permit by both proofs would do', PLANNED, {
    body: PlanAbandonBody,
    refuses: [...BY_ID, 'PermitClosed', 'PermitHolderUnproven'],
  }),
  abandon: acts('permits.abandon', 'permits/abandon', 'carries out exactly the plan of the digest', ABANDONED, {
    body: ConfirmAbandonBody,
    refuses: [...BY_ID, 'PlanUnknown', 'PlanStale', 'PermitClosed', 'PermitHolderUnproven', 'CoordinatorUnavailable', 'OutcomeUnknown'],
  }),
};

export const CREDENTIAL_ACTS = {
  get: reads('credentials.get', 'credentials/:id', 'one generation: gate, use, what was decided of it', CREDENTIAL_DETAIL, {
    refuses: BY_ID,
  }),
  plan: acts('credentials.plan', 'credentials/plan', 'what a revocation or a reenablement would do, and its digest', PLANNED, {
    body: PlanDecisionBody,
    refuses: [...BY_ID, 'NoGate', 'NotInMode', 'RevocationFinal'],
  }),
  revoke: acts('credentials.revoke', 'credentials/revoke', 'carries out exactly the plan of the digest', REVOKED, {
    body: ConfirmDecisionBody,
    refuses: DECIDE,
  }),
  reenable: acts('credentials.reenable', 'credentials/reenable', 'carries out exactly the plan of the digest', REENABLED, {
    body: ConfirmDecisionBody,
    refuses: DECIDE,
  }),
};

export const BARRIER_ACTS = {
  list: reads('barriers.list', 'barriers', 'which activations hold authors off, and where; at most 100 of an owner', BARRIERS),
  plan: acts('barriers.plan', 'barriers/plan', 'what giving an activation attempt up would release, and its digest', PLANNED, {
    body: PlanReleaseBody,
    refuses: ['NotFound'],
  }),
  release: acts('barriers.release', 'barriers/release', 'carries out exactly the plan of the digest', BARRIERS_RELEASED, {
    body: ConfirmReleaseBody,
    refuses: ['NotFound', 'CatalogMoved', 'CoordinatorUnavailable', 'OutcomeUnknown'],
  }),
};

export const PACK_ACTS = {
  list: reads('packs.list', 'packs', 'registered pack generations by pack and version; `next` goes back as `after`', PACKS, {
    query: PackListQuery,
  }),
  get: reads('packs.get', 'packs/:id', 'one generation by its payload digest or `<pack>@<version>`', PACK_DETAIL, {
    refuses: ['NotFound'],
  }),
  publish: acts('packs.publish', 'packs', 'registers a generation; the same bytes again are the same one', PACK_PUBLISHED, {
    role: 'packOwner',
    body: PublishPackBody,
    refuses: ['PackFaulty', 'PackVersionTaken', 'PublicationBarrierHeld', 'CatalogUnavailable', 'OutcomeUnknown'],
  }),
};

export const ROUTES: readonly Route<unknown>[] = [
  READS,
  ACTS,
  CREDENTIAL_ACTS,
  BARRIER_ACTS,
  PACK_ACTS,
  PUBLISHER_ACTS,
  APP_ACTS,
  RELEASE_ACTS,
  AUDIT_ACTS,
  INSTALL_ACTS,
  MOVE_ACTS,
  VIEW_ACTS,
  BINDING_ACTS,
].flatMap((table) => Object.values<Route<unknown>>(table));
