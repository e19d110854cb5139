import type { BindingKind } from '@connector/kernel/document-binding';
import { ANY_OBJECT, closed, oneOf, type Shape, type TypeOf } from '@connector/kernel/document-shape';
import {
  BOOL,
  CEL,
  celByName,
  HEADER,
  HEADER_PATTERN,
  LABEL,
  LINE,
  list,
  MEMBER,
  MEMBER_PATTERN,
  NAME,
  ORDERING_CONTRACT,
  said,
  text,
  whole,
} from './definition-shapes';
import { VERIFICATION_SCHEMES } from './verification-schemes';

/**
 * One closed JSON Schema per kind of definition (con:DEFN-F, decisions 13.20), and the type that it admits. A member that is not here does
 * not exist; an optional one may be left out and is never null. Expressions are CEL; each place says which variables it has.
 */

const refusal = closed({
  when: said('CEL over `item`: a bool.', CEL),
  message: said('What people read; static, so that it never holds a value.', LINE),
});

export const INBOUND_ROUTE = closed(
  {
    verification_schemes: said('Schemes that may admit a body to this route.', list(oneOf(...VERIFICATION_SCHEMES), 1, 4)),
    items_max: said('Most items of one body; one more makes the whole body unreadable.', whole(1, 5_000)),
    event_kind: said('The canonical kind of the event.', NAME),
    source_event_key: said(
      'What names the change at its source: CEL over `item` and `delivery`, each a text or an integer (1 and "1" are one part). Compared byte for byte.',
      list(CEL, 1, 8),
    ),
    ordering: said('The ordering contract.', ORDERING_CONTRACT),
    window: said('How items are grouped.', oneOf('immediate')),
    mapping: said('Business key of a field mapping of the same pack.', NAME),
  },
  {
    transport_key_header: said(
      "The header whose value is the transport key; a delivery without it is answered 400. Left out: the scheme's own id header, and of a scheme that has none (stripe, slack) the digest of the body.",
      HEADER,
    ),
    items: said('CEL over `body`: the list of items. Left out: the body is one item.', CEL),
    refuse: said(
      'Asked in order before anything else is read; the first that is true refuses the item by its message.',
      list(refusal, 1, 16),
    ),
    occurred_at: said('CEL over `item`: when it happened, RFC 3339, or null.', CEL),
    headers: said(
      'Headers that `delivery.headers` has by their lower-case names, where they were sent. They are kept with the Receipt; no signature covers them.',
      list(HEADER, 1, 8),
    ),
  },
);

export const FIELD_MAPPING = closed({
  fields: said(
    'Member of the input -> CEL over `item`, `account`, `event` (`event.kind`; `event.key`: the parts as texts) and `delivery` (`delivery.key`: the transport key; `delivery.headers`).',
    celByName(MEMBER_PATTERN, 1, 64),
  ),
});

const request = closed(
  {
    method: said('A method that changes something.', oneOf('POST', 'PUT', 'PATCH', 'DELETE')),
    path: said('Segments, each a text or an integer; encoded by the engine, which refuses empty ones, `.` and `..`.', list(CEL, 1, 16)),
  },
  {
    query: said('Name -> text, integer or bool; null leaves it out.', celByName('^[A-Za-z][A-Za-z0-9_.-]{0,63}$', 1, 32)),
    headers: said('Name -> text. None that carries a credential, a host, a length or the key.', celByName(HEADER_PATTERN, 1, 16)),
    body: said('Member -> value, sent as canonical JSON. Left out: no body.', celByName(MEMBER_PATTERN, 1, 64)),
  },
);

export const PUSH_CONTRACT = closed({
  callout_profile: said('Business key of a callout profile of the same pack.', NAME),
  slot: said('The effect slot: the place of one effect in an operation.', NAME),
  intent: said('The name of the intent that an application states.', NAME),
  input: said('Members of the input; any other is refused.', closed({ required: list(MEMBER, 0, 64), optional: list(MEMBER, 0, 64) })),
  request: said('CEL over `input`. Credentials and the idempotency key are put in when it is sent.', request),
});

const answerRule = closed(
  {
    status: said('Exact status codes.', list(whole(200, 599), 1, 32)),
    then: said(
      'confirmed: it took effect. refused_final: it took none and never will. refused_for_now: the provider documents that it was not ' +
        'processed, and the same request may come again.',
      oneOf('confirmed', 'refused_final', 'refused_for_now'),
    ),
  },
  { when: said('CEL over `status`, `headers` (lower-case names) and `body` (JSON, or null): a bool. Left out: true.', CEL) },
);

export const CALLOUT_PROFILE = closed(
  {
    base: said(
      'Scheme and host, with a port where needed, and nothing more.',
      text('^https?://[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[1-9][0-9]{0,4})?$', 270),
    ),
    credential_ref: said('Which credential of the account is shown.', NAME),
    auth: said('How it is shown.', closed({ scheme: oneOf('bearer'), header: HEADER })),
    deadline_ms: said('For one call, from connecting to the last byte.', whole(100, 120_000)),
    response_bytes_max: said('Of the answer body; a longer one counts as broken.', whole(1, 1_048_576)),
    classify: said(
      'Asked in order; the first that holds decides. There is no default: what no rule lists is uncertain.',
      list(answerRule, 1, 32),
    ),
    status_is_enough: said('A whole head is classified even when the body is broken; `body` is null then.', BOOL),
  },
  {
    idempotency: said(
      'The provider honours a key. replays: the same key and request again change nothing more and answer the same.',
      closed({ header: HEADER, guarantee: oneOf('replays') }),
    ),
    remote_identity: said('CEL over `body` of a confirmed answer: the id of what was made, a text or an integer.', CEL),
  },
);

export type InboundRoute = TypeOf<typeof INBOUND_ROUTE>;
export type FieldMapping = TypeOf<typeof FIELD_MAPPING>;
export type PushContract = TypeOf<typeof PUSH_CONTRACT>;
export type CalloutProfile = TypeOf<typeof CALLOUT_PROFILE>;

export const DEFINITION_SHAPES = {
  'callout-profile': CALLOUT_PROFILE,
  'field-mapping': FIELD_MAPPING,
  'inbound-route': INBOUND_ROUTE,
  'push-contract': PUSH_CONTRACT,
} satisfies Record<BindingKind, Shape<unknown>>;

const entries = list(
  closed({
    business_key: said('Its name in the pack.', NAME),
    definition_version: said('A label that is used once for its name.', LABEL),
    definition: said('Closed by the schema of its kind.', ANY_OBJECT),
  }),
  0,
  256,
);

/** `pack.json` as its author writes it. */
export const PACK = closed({
  owner_pack: said('Reverse domain name.', text('^[a-z0-9]+([-.][a-z0-9]+)+$', 128)),
  pack_version: said('A label for people; the digest is the identity.', LABEL),
  definitions: closed({}, { 'callout-profile': entries, 'field-mapping': entries, 'inbound-route': entries, 'push-contract': entries }),
});
