import { closed, COUNT, DECIMAL, DIGEST, oneOf, type Shape } from '@connector/kernel/document-shape';
import type { Json } from '@connector/kernel/jcs';
import { bindingMachine } from '@connector/catalog/model/installation/binding';
import { installationMachine } from '@connector/catalog/model/installation/installation';
import { FAILURES, STEPS } from '@connector/catalog/model/installation/publication';
import { BOOLEAN, either, INSTANT, orNull, some, STRING, wordOf } from './shapes';

/** What the operator answers about installations, their bindings and their views. A document of the catalog is shown as its owner wrote it. */
const DOCUMENT: Shape<Readonly<Record<string, Json>>> = { schema: { type: 'object' } };
const STATE = wordOf(installationMachine.states);

export const INSTALLS = closed({
  rows: some(
    closed({
      ...{ installation: STRING, app_id: STRING, state: STATE, active_release_digest: orNull(DIGEST) },
      ...{ activation_epoch: DECIMAL, attempt: DECIMAL },
    }),
  ),
  next: orNull(STRING),
});

const BINDING = {
  ...{ binding_id: STRING, capability_id: STRING, handler_ref: orNull(STRING), workload_id: orNull(STRING), artifact_digest: DIGEST },
  ...{ state: wordOf(bindingMachine.states), ownership_epoch: orNull(DECIMAL) },
};
export const BINDINGS = closed({ rows: some(closed({ ...BINDING, app_release_digest: DIGEST })), next: orNull(STRING) });

/** Whether Runtime security admits the ACTIVE tuple now, and what differs where it does not. */
export const ADMISSION = either(
  either(
    closed({ kind: oneOf('admitted'), security_epoch: DECIMAL }),
    closed({ kind: oneOf('refused'), code: STRING, current_epoch: DECIMAL, detail: STRING }),
  ),
  closed({ kind: oneOf('unknown'), detail: STRING }),
);

export const INSTALL_DETAIL = closed({
  kind: oneOf('found'),
  ...{ organization: STRING, installation: STRING, app_id: STRING, state: STATE, failed_from: orNull(STATE), attempt: DECIMAL },
  ...{ active_release_digest: orNull(DIGEST), candidate_release_digest: orNull(DIGEST), last_active_release_digest: orNull(DIGEST) },
  /** What serves: dependencies, grants, namespaces, handlers; null while nothing is published. */
  tuple: orNull(DOCUMENT),
  bindings: some(closed(BINDING)),
  ...{ activation_epoch: DECIMAL, security_epoch: orNull(DECIMAL), catalog_revision: orNull(DECIMAL) },
  /** null while nothing is ACTIVE. */
  admission: orNull(ADMISSION),
});
export const JOURNAL = closed({
  entries: some(closed({ attempt: DECIMAL, step: wordOf(STEPS), at: INSTANT, entry: DOCUMENT })),
  /** The first attempt that did not fit; null: there are no more. */
  next: orNull(DECIMAL),
});

const LINEAGE = closed({ lineage_id: STRING, catalog_revision: DECIMAL, activation_epoch: DECIMAL });
const FAULT = closed({ pointer: STRING, code: STRING, rule: STRING, expected: STRING, found: STRING });
const REFUSAL = closed({ app_release_digest: DIGEST, faults: some(FAULT), more: COUNT });
/** How far an attempt came; of one that waits the catalog goes on by itself. */
const END = either(
  either(closed({ kind: oneOf('published'), lineage: LINEAGE }), closed({ kind: oneOf('failed'), code: wordOf(FAILURES) })),
  either(
    closed({ kind: oneOf('waiting'), for: oneOf('security', 'schema', 'barrier') }),
    either(
      either(closed({ kind: oneOf('not-open', 'removed', 'abandoned') }), closed({ kind: oneOf('gates-open'), bindings: some(STRING) })),
      closed({ kind: oneOf('refused'), refusal: REFUSAL }),
    ),
  ),
);
export const OPENED = closed({ kind: oneOf('opened'), installation: STRING, attempt: DECIMAL, end: END });

/** `taking-back`: given up for good; Runtime security is still to be told, which the catalog does by itself. */
export const INSTALL_ABANDONED = either(closed({ kind: oneOf('abandoned') }), closed({ kind: oneOf('taking-back'), end: END }));

export const MEMBERSHIP = closed({
  ...{ organization: STRING, installation: STRING, workload: STRING, catalog_revision: DECIMAL },
  ...{ view_digest: DIGEST, source_snapshot_digest: DIGEST, receipt_digest: DIGEST, lineage: LINEAGE, view: DOCUMENT },
});
export const MEMBERSHIP_SET = closed({ kind: oneOf('set', 'already-set'), catalog_revision: DECIMAL, membership_digest: DIGEST });

/** Open references by id, at most 200, and whether there are `more`; `head_epoch` is the last that any binding of the capability took. */
export const BINDING_DETAIL = closed({
  ...{ binding_id: STRING, capability_id: STRING, state: wordOf(bindingMachine.states), head_epoch: DECIMAL },
  references: some(closed({ reference_id: STRING, kind: STRING, opened_at: INSTANT })),
  more: BOOLEAN,
  retention: orNull(closed({ decided_by: STRING, reason: STRING, decided_at: INSTANT })),
});
export const BINDING_STAGED = closed({ kind: oneOf('staged'), binding_id: STRING });
export const BINDING_ACTIVATED = closed({ kind: oneOf('activated'), ownership_epoch: DECIMAL, catalog_revision: DECIMAL });
export const BINDING_RETIRED = closed({ kind: oneOf('retired') });
export const BINDING_FAILED = closed({ kind: oneOf('failed') });
export const REFERENCE_OPENED = closed({ kind: oneOf('opened', 'already-open') });
export const REFERENCE_CLOSED = closed({ kind: oneOf('closed', 'already-closed') });
export const RETENTION_DECIDED = closed({ kind: oneOf('decided', 'already-decided') }, { decided_by: STRING });
