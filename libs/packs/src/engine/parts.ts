import type { CelValue } from '@bufbuild/cel';
import type { Json } from '@connector/kernel/jcs';
import type { Bindings, Expression } from './expression';
import { type Failure, jsonOf, LimitError } from './values';

/** A part of an item, a request or an answer could not be made. Thrown inside the engine only; its callers hand it back as a refusal. */
export class PartError<Code extends string = string> extends Error {
  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message);
  }
}

const WORDS: Readonly<Record<Failure, string>> = {
  'member-missing': 'a member is missing',
  'wrong-type': 'a value has the wrong type',
  'out-of-range': 'a number is out of range',
  'too-large': 'a value is too large',
  'not-computable': 'it cannot be computed',
};

/** The definition's own place and text, never a value: refusals are stored and shown. */
export function failed(place: string, expression: Expression, failure: Failure): PartError<Failure> {
  return new PartError(failure, `${place}: ${WORDS[failure]}: ${expression.source}`);
}

export function valueAt(place: string, expression: Expression, bindings: Bindings): CelValue {
  const result = expression.evaluate(bindings);
  if (result.kind === 'failed') throw failed(place, expression, result.failure);
  return result.value;
}

export function jsonAt(place: string, expression: Expression, bindings: Bindings): Json {
  const value = valueAt(place, expression, bindings);
  try {
    return jsonOf(value);
  } catch (error) {
    if (error instanceof LimitError) throw failed(place, expression, error.failure);
    throw error;
  }
}

export function boolAt(place: string, expression: Expression, bindings: Bindings): boolean {
  const value = valueAt(place, expression, bindings);
  if (typeof value !== 'boolean') throw failed(place, expression, 'wrong-type');
  return value;
}

/** A text as it is, or an integer in decimal. */
export function textAt(place: string, expression: Expression, bindings: Bindings): string {
  const value = valueAt(place, expression, bindings);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'string') throw failed(place, expression, 'wrong-type');
  return value;
}

/** At most `bytesMax` bytes of UTF-8, cut between characters. */
export function clipped(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8');
}
