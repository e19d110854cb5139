import { Ajv } from 'ajv';
import { admitting, closed, DECIMAL, DIGEST, oneOf, type Shape, type TypeOf } from '@connector/kernel/document-shape';
import { EPOCH_MAX } from '@connector/security/contract/projection';
import type { AdvanceAnswer, SecurityHeadAnswer } from '@connector/catalog/contract/runtime-security';

/** Runtime security's answers as they come over HTTP. What is not of exactly its shape is of another protocol and counts as no answer. */
const ajv = new Ajv({ strict: true, ownProperties: true, allowUnionTypes: true });
const BYTES: Shape<string> = { schema: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$', maxLength: 4096 } };
const NO_DIGEST: Shape<TypeOf<typeof DIGEST> | null> = { schema: { ...DIGEST.schema, type: ['string', 'null'] } };

function reader<W, T>(shape: Shape<W>, read: (wire: W) => T): (body: unknown) => T | undefined {
  const admits = admitting(ajv, shape);
  return (body) => (admits(body) ? read(body) : undefined);
}

export const readHeadAnswer = reader(
  closed({ kind: oneOf('head'), security_epoch: DECIMAL, other_inputs_digest: DIGEST, projection_digest: NO_DIGEST }),
  (wire): SecurityHeadAnswer | undefined => {
    const securityEpoch = BigInt(wire.security_epoch);
    if (securityEpoch > EPOCH_MAX) return undefined;
    return { kind: 'head', securityEpoch, otherInputsDigest: wire.other_inputs_digest, projectionDigest: wire.projection_digest };
  },
);

export const readBound = reader(
  closed({ kind: oneOf('bound'), security_epoch: DECIMAL, projection_digest: DIGEST, binding_base64: BYTES, binding_digest: DIGEST }),
  (wire) => ({
    kind: 'bound' as const,
    securityEpoch: BigInt(wire.security_epoch),
    projectionDigest: wire.projection_digest,
    bindingBytes: Buffer.from(wire.binding_base64, 'base64'),
    bindingDigest: wire.binding_digest,
  }),
);

const REFUSALS: readonly ((body: unknown) => AdvanceAnswer | undefined)[] = [
  reader(closed({ kind: oneOf('stale-epoch'), current_epoch: DECIMAL }), (wire) => ({
    kind: 'refused',
    code: wire.kind,
    currentEpoch: BigInt(wire.current_epoch),
  })),
  reader(
    closed({ kind: oneOf('projection-differs'), projection_digest: DIGEST, other_inputs_digest: DIGEST }),
    ({ kind, projection_digest: projectionDigest, other_inputs_digest: otherInputsDigest }) => ({
      kind: 'refused',
      code: kind,
      projectionDigest,
      otherInputsDigest,
    }),
  ),
  reader(closed({ kind: oneOf('payload-conflict') }), ({ kind }) => ({ kind: 'refused', code: kind })),
  reader(closed({ kind: oneOf('epochs-exhausted') }), ({ kind }) => ({ kind: 'refused', code: kind })),
];

export function readRefusal(body: unknown): AdvanceAnswer | undefined {
  for (const read of REFUSALS) {
    const refused = read(body);
    if (refused !== undefined) return refused;
  }
  return undefined;
}
