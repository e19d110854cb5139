interface Outcome {
  readonly kind: string;
}
interface OutcomeReply {
  status(code: number): OutcomeReply;
  send(body: unknown): unknown;
}

/**
 * Answers with what the domain returned: the status by its kind, the outcome itself as the body. Every kind needs a status, so an outcome
 * that is added to a door is a compile error at the rim until somebody says what it means to a caller.
 */
export function sendOutcome<O extends Outcome>(reply: OutcomeReply, status: Readonly<Record<O['kind'], number>>, outcome: O): void {
  const kind: O['kind'] = outcome.kind;
  reply.status(status[kind]).send(outcomeBody(outcome));
}

/** As JSON between services: members in snake_case, 64-bit numbers as decimal text, bytes as base64 under `<member>_base64`. */
export function outcomeBody(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(outcomeBody);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => member(snakeCase(name), held)));
}

function member(name: string, value: unknown): readonly [string, unknown] {
  if (Buffer.isBuffer(value)) return [`${name.replace(/_bytes$/, '')}_base64`, value.toString('base64')];
  return [name, outcomeBody(value)];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
