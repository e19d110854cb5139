import { type CelInput } from '@bufbuild/cel';
import { InputFault } from '@connector/kernel/faults';
import { type Json, jcs } from '@connector/kernel/jcs';
import type { CalloutProfile, PushContract } from '../model/definition-schemas';
import { definitionRefused, type DefinitionRefused, readCalloutProfile, readPushContract } from './definition';
import type { Expression } from './expression';
import {
  HEADER_VALUE_BYTES_MAX,
  ITEM_BYTES_MAX,
  MESSAGE_BYTES_MAX,
  REQUEST_BODY_BYTES_MAX,
  SEGMENT_BYTES_MAX,
  TARGET_BYTES_MAX,
} from './limits';
import { clipped, failed, jsonAt, PartError, textAt } from './parts';
import { headerFaults, planPush, type PushPlan } from './push-plan';
import { celOf, FAILURES, isList } from './values';

/** Why no request is made; nothing was sent then. */
export const PUSH_REFUSALS = [
  ...FAILURES,
  'input-not-json',
  'input-not-an-object',
  'input-member-missing',
  'input-member-unknown',
  'segment-refused',
  'target-too-long',
  'header-refused',
  'provider-key-missing',
  'provider-key-unsupported',
  'provider-key-not-canonical',
] as const;
export type PushRefusal = (typeof PUSH_REFUSALS)[number];

/** What the `request` digest reads. Without credentials, and without the header of the key: that name is the frozen profile's. */
export interface PushRequest {
  readonly kind: 'request';
  /** Upper case. */
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Lower-case names, sorted by name then value. */
  readonly headers: readonly (readonly [string, string])[];
  /** Empty where the contract has no body. */
  readonly body: Buffer;
  /** The one provider idempotency key, or its explicit absence (con:IDN-13). */
  readonly providerKey: string | null;
}
export type PushRefused = { readonly kind: 'refused'; readonly code: PushRefusal; readonly message: string };

export interface Push {
  readonly kind: 'push';
  readonly slot: string;
  readonly intent: string;
  readonly calloutProfile: string;
  /** `providerKey` is given exactly when the profile honours one. The same input gives the same bytes. Never throws. */
  request(input: Json, providerKey: string | null): PushRequest | PushRefused;
}

/** `contract` is a push contract, `profile` the callout profile that it names. */
export function compilePush(contract: Json, profile: Json): Push | DefinitionRefused {
  const push = readPushContract(contract);
  if (push.kind === 'faulty') return definitionRefused(push.faults);
  const callout = readCalloutProfile(profile);
  if (callout.kind === 'faulty') return definitionRefused(callout.faults);
  const plan = planPush(push.value);
  const faults = [...plan.faults, ...headerFaults(push.value, callout.value)];
  if (faults.length > 0) return definitionRefused(faults);
  const { slot, intent, callout_profile: calloutProfile } = push.value;
  return { kind: 'push', slot, intent, calloutProfile, request: (input, key) => requestOf(plan, callout.value, input, key) };
}

function requestOf(plan: PushPlan, profile: CalloutProfile, input: Json, providerKey: string | null): PushRequest | PushRefused {
  try {
    checkProviderKey(profile, providerKey);
    checkInput(plan.definition.input, input);
    const bindings = { input: celOf(input) };
    const target = targetOf(plan, bindings);
    const headers = headersOf(plan, bindings);
    return { kind: 'request', method: plan.definition.request.method, target, headers, body: bodyOf(plan, bindings), providerKey };
  } catch (error) {
    if (error instanceof PartError && isPushRefusal(error.code)) {
      return { kind: 'refused', code: error.code, message: clipped(error.message, MESSAGE_BYTES_MAX) };
    }
    throw error;
  }
}

function isPushRefusal(code: string): code is PushRefusal {
  return PUSH_REFUSALS.some((known) => known === code);
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

function checkProviderKey(profile: CalloutProfile, key: string | null): void {
  if (profile.idempotency === undefined) {
    if (key !== null) throw new PartError('provider-key-unsupported', 'the frozen profile honours no idempotency key');
    return;
  }
  if (key === null) throw new PartError('provider-key-missing', 'the frozen profile honours an idempotency key: give exactly one');
  if (!VISIBLE.test(key)) throw new PartError('provider-key-not-canonical', 'the key is not 1 to 255 visible ASCII characters');
}

function checkInput(expected: PushContract['input'], input: Json): void {
  if (input === null || typeof input !== 'object' || isList(input))
    throw new PartError('input-not-an-object', 'the input is not an object');
  const missing = expected.required.find((name) => !Object.hasOwn(input, name));
  if (missing !== undefined) throw new PartError('input-member-missing', `the input has no ${missing}`);
  const known = new Set([...expected.required, ...expected.optional]);
  if (!Object.keys(input).every((name) => known.has(name))) {
    throw new PartError('input-member-unknown', `the input has members besides ${[...known].join(', ')}`);
  }
  if (bytesOf(input).length > ITEM_BYTES_MAX) throw new PartError('too-large', `the input is over ${ITEM_BYTES_MAX} bytes`);
}

/** An input comes from an application: half a surrogate pair or a number that is not finite is its fault, and no defect of ours. */
function bytesOf(input: Json): Buffer {
  try {
    return jcs(input);
  } catch (error) {
    if (error instanceof InputFault) throw new PartError('input-not-json', 'the input is not JSON');
    throw error;
  }
}

type InputBindings = { readonly input: CelInput };

function targetOf(plan: PushPlan, bindings: InputBindings): string {
  const segments = plan.path.map((expression, at) => segmentOf(`path/${at}`, expression, bindings));
  const query = plan.query.flatMap(({ name, expression }) => {
    const value = queryValue(`query/${name}`, expression, bindings);
    return value === null ? [] : [`${encoded(name)}=${encoded(value)}`];
  });
  // By name, so that the order of members in the definition says nothing.
  const target = `/${segments.join('/')}${query.length > 0 ? `?${query.toSorted().join('&')}` : ''}`;
  if (target.length > TARGET_BYTES_MAX) throw new PartError('target-too-long', `the target is over ${TARGET_BYTES_MAX} bytes`);
  return target;
}

/** Everything but the unreserved characters of RFC 3986; a value can add no segment, query or fragment. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function segmentOf(place: string, expression: Expression, bindings: InputBindings): string {
  const text = textAt(place, expression, bindings);
  // Dots stay dots when encoded, and a client or server on the way may resolve them to another path.
  if (text === '' || text === '.' || text === '..') throw new PartError('segment-refused', `${place}: an empty segment, or dots`);
  if (/\p{Cc}/u.test(text)) throw new PartError('segment-refused', `${place}: a control character`);
  if (Buffer.byteLength(text) > SEGMENT_BYTES_MAX) throw new PartError('segment-refused', `${place}: over ${SEGMENT_BYTES_MAX} bytes`);
  return encoded(text);
}

function queryValue(place: string, expression: Expression, bindings: InputBindings): string | null {
  const value = jsonAt(place, expression, bindings);
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  throw failed(place, expression, 'wrong-type');
}

/** Visible ASCII with inner blanks: no line can be begun, nothing is folded. */
const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

function headersOf(plan: PushPlan, bindings: InputBindings): readonly (readonly [string, string])[] {
  const set = plan.headers.map(({ name, expression }): readonly [string, string] => {
    const value = textAt(`headers/${name}`, expression, bindings);
    if (!HEADER_VALUE.test(value) || value.length > HEADER_VALUE_BYTES_MAX) {
      throw new PartError('header-refused', `headers/${name}: not 1 to ${HEADER_VALUE_BYTES_MAX} visible ASCII characters`);
    }
    return [name, value];
  });
  const described: readonly (readonly [string, string])[] = plan.body === undefined ? [] : [['content-type', 'application/json']];
  return [...set, ...described].toSorted(([left], [right]) => (left < right ? -1 : 1));
}

function bodyOf(plan: PushPlan, bindings: InputBindings): Buffer {
  if (plan.body === undefined) return Buffer.alloc(0);
  const members = plan.body.map(({ name, expression }) => [name, jsonAt(`body/${name}`, expression, bindings)] as const);
  const bytes = jcs(Object.fromEntries(members));
  if (bytes.length > REQUEST_BODY_BYTES_MAX) throw new PartError('too-large', `the body is over ${REQUEST_BODY_BYTES_MAX} bytes`);
  return bytes;
}
