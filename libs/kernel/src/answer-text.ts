/** A stored answer: JSON in which a 64-bit number is `{"u64":"…"}`, so that reading gives back exactly what was written. */
export function answerText(answer: unknown): Buffer {
  return Buffer.from(JSON.stringify(answer, bigintAsText));
}

/** What `answerText` wrote. The caller says what it is: only the door that stored an answer reads it. */
export function answerOf<A>(text: Buffer): A {
  return JSON.parse(text.toString('utf8'), textAsBigint) as A;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { u64: value.toString() } : value;
}

function textAsBigint(_key: string, value: unknown): unknown {
  const text = typeof value === 'object' && value !== null && 'u64' in value ? value.u64 : undefined;
  return typeof text === 'string' ? BigInt(text) : value;
}
