import { born, bytes, digest, id, name, nullable, u64, word } from '@connector/kernel/column';
import { OperationId } from '@connector/kernel/ids';
import { table } from '@connector/kernel/table';

const organization = () => name(64);
const installation = () => name(64);
const identifier = () => name(128);
const INSTALLATION = { organization_id: organization(), app_installation_id: installation() };
/** One candidate of one installation, from its preparation to its end. */
const ATTEMPT = { ...INSTALLATION, attempt: u64() };

/**
 * cat:A-26, decisions 12.3: every change of what serves in an organization takes the next revision under this row. While a publication is open
 * its installation and attempt stand here, and no other opens (decisions 12.4).
 */
export const catLineage = table('cat_lineage', {
  about: 'The catalog revision of an organization, the history that it belongs to, and its open publication.',
  rank: 'lineage',
  columns: {
    organization_id: organization(),
    lineage_id: name(36),
    catalog_revision: u64(),
    open_installation_id: nullable(installation()),
    open_attempt: nullable(u64()),
  },
  primary: ['organization_id'],
  index: { open: ['open_installation_id'] },
});

/** cat:INST-16. Of a publication the row is its ACTIVE tuple: which candidate, under which epoch, with which projections. */
export const catRevision = table('cat_revision', {
  about: 'What every catalog revision changed; of a publication with the tuple that it made ACTIVE.',
  rank: null,
  columns: {
    organization_id: organization(),
    lineage_id: name(36),
    catalog_revision: u64(),
    cause: word(32),
    app_installation_id: installation(),
    attempt: nullable(u64()),
    activation_epoch: nullable(u64()),
    tuple_digest: nullable(digest()),
    projection_digest: nullable(digest()),
    security_epoch: nullable(u64()),
    at: born(),
  },
  primary: ['organization_id', 'lineage_id', 'catalog_revision'],
});

/** cat:INST-01, cat:INST-04: which App an installation is of, said once. */
export const catInstallationIdentity = table('cat_installation_identity', {
  about: 'Which App every installation is of.',
  rank: null,
  columns: { ...INSTALLATION, app_id: identifier(), minted_at: born() },
  primary: ['organization_id', 'app_installation_id'],
});

/** cat:INST-07: while an installation lives, `live_app_id` names its App; the finishing CAS sets it to NULL (cat:INST-09). */
export const catInstallation = table('cat_installation', {
  about: 'The state of every installation, its three releases and its ACTIVE tuple.',
  rank: 'installation',
  columns: {
    ...INSTALLATION,
    live_app_id: nullable(identifier()),
    state: word(16),
    failed_from: nullable(word(16)),
    /** The last attempt that was opened or refused. */
    attempt: u64(),
    active_release_digest: nullable(digest()),
    candidate_release_digest: nullable(digest()),
    last_active_release_digest: nullable(digest()),
    /** The attempt whose candidate is ACTIVE; with the release, the epoch and the revision NULL while none is. */
    active_attempt: nullable(u64()),
    active_security_epoch: nullable(u64()),
    active_revision: nullable(u64()),
    /** Rises with every step 4, 0 before the first; of the ACTIVE tuple while there is one. */
    activation_epoch: u64(),
  },
  primary: ['organization_id', 'app_installation_id'],
  unique: { live: ['organization_id', 'live_app_id'] },
  index: { state: ['state'] },
});

/** cat:PUBL-01: what step 1 froze, whole. The security command is sent from here and from nowhere else (cat:SEC-02). */
export const catCandidate = table('cat_candidate', {
  about: 'The candidates of installations: the document, the projections to expect, and the security command.',
  rank: null,
  columns: {
    ...ATTEMPT,
    kind: word(16),
    app_release_digest: digest(),
    document: bytes(1_000_000),
    document_digest: digest(),
    tuple_digest: digest(),
    command_id: id(OperationId),
    expected_prior_epoch: u64(),
    other_inputs_digest: digest(),
    app_grants: bytes(1_048_576),
    projection_digest: digest(),
    at: born(),
  },
  primary: ['organization_id', 'app_installation_id', 'attempt'],
  unique: { command: ['command_id'] },
});

/** cat:PUBL-09: from these rows alone whoever finds them knows the next step. */
export const catPublicationStep = table('cat_publication_step', {
  about: 'The journal of publications: one row a step of an attempt.',
  rank: null,
  columns: { ...ATTEMPT, step: word(16), entry: bytes(262_144), document: nullable(bytes(1_000_000)), at: born() },
  primary: ['organization_id', 'app_installation_id', 'attempt', 'step'],
});

/** cat:A-16: two different rows can overlap, so claiming serializes on the organization's lineage row. A claim closes by losing its open name. */
export const catNamespaceClaim = table('cat_namespace_claim', {
  about: 'Which installation of an organization claims a namespace.',
  rank: 'installation',
  columns: {
    organization_id: organization(),
    namespace_id: identifier(),
    app_installation_id: installation(),
    attempt: u64(),
    open_namespace_id: nullable(identifier()),
  },
  primary: ['organization_id', 'namespace_id', 'app_installation_id', 'attempt'],
  unique: { open: ['organization_id', 'open_namespace_id'] },
});

/** cat:BIND-02, cat:A-35. A frontend stands under the capability `frontend`, a name that no capability can have, and has no handler. */
export const catBinding = table('cat_binding', {
  about: 'Which exact service release serves a capability of an installation, and which frontend release its frontend.',
  rank: null,
  columns: {
    ...INSTALLATION,
    binding_id: name(36),
    app_release_digest: digest(),
    capability_id: identifier(),
    handler_ref: nullable(identifier()),
    workload_id: nullable(identifier()),
    artifact_digest: digest(),
    /** What the deployment attested of the artifact when it was bound. */
    compatibility_receipt: bytes(16_384),
    bound_at: born(),
  },
  primary: ['organization_id', 'app_installation_id', 'binding_id'],
});

/** cat:BIND-04, cat:BIND-05: the natural key ignores what has no epoch yet (cat:A-32); `active_capability_id` is set while the binding is ACTIVE. */
export const catBindingState = table('cat_binding_state', {
  about: 'The state of every binding, and the ownership epoch that its activation took.',
  rank: 'ownership-head',
  columns: {
    ...INSTALLATION,
    binding_id: name(36),
    capability_id: identifier(),
    state: word(16),
    ownership_epoch: nullable(u64()),
    active_capability_id: nullable(identifier()),
  },
  primary: ['organization_id', 'app_installation_id', 'binding_id'],
  unique: {
    natural: ['organization_id', 'app_installation_id', 'capability_id', 'ownership_epoch'],
    active: ['organization_id', 'app_installation_id', 'active_capability_id'],
  },
});

/** cat:BIND-07 */
export const catOwnershipHead = table('cat_ownership_head', {
  about: 'The last ownership epoch of every capability of an installation.',
  rank: 'ownership-head',
  columns: { ...INSTALLATION, capability_id: identifier(), ownership_epoch: u64() },
  primary: ['organization_id', 'app_installation_id', 'capability_id'],
});

/** cat:A-34: a route or work that still refers to a binding. It is open while `open_binding_id` names the binding; closing sets it to NULL. */
export const catBindingReference = table('cat_binding_reference', {
  about: 'Which routes and which work refer to a binding, and whether they still do.',
  rank: 'ownership-head',
  columns: {
    ...INSTALLATION,
    binding_id: name(36),
    reference_id: identifier(),
    kind: word(16),
    open_binding_id: nullable(name(36)),
    opened_at: born(),
  },
  primary: ['organization_id', 'app_installation_id', 'binding_id', 'reference_id'],
  index: { open: ['organization_id', 'app_installation_id', 'open_binding_id'] },
});

/** cat:BIND-11: somebody decided that a draining binding need not be kept for what refers to it. Time alone decides nothing. */
export const catBindingRetention = table('cat_binding_retention', {
  about: 'Decisions that a binding need not be retained any longer.',
  rank: null,
  columns: { ...INSTALLATION, binding_id: name(36), decided_by: name(64), reason: name(256), decided_at: born() },
  primary: ['organization_id', 'app_installation_id', 'binding_id'],
});
