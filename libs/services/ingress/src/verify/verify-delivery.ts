import { createHash } from 'node:crypto';
import { invariant } from '@connector/kernel/faults';
import type { VerificationScheme } from '@connector/packs/model/verification-schemes';
import { githubSha256 } from './github-sha256';
import type { HeaderList } from './header-list';
import { PROOFS } from './proofs';
import { refused, type Claim, type SchemeReader, type Unverifiable } from './scheme';
import { shopify } from './shopify';
import { slack } from './slack';
import { standardWebhooks, standardWebhooksV1a } from './standard-webhooks';
import { stripe } from './stripe';

export interface ChannelKeyMaterial {
  readonly version: number;
  /** The shared secret; of a scheme with key pairs the sender's public key. */
  readonly secret: Buffer;
}
export interface SignedDelivery {
  readonly rawHeaders: HeaderList;
  /** The bytes as they came, before anything has read them. */
  readonly body: Buffer;
  /** The active versions of the channel's key; with none nothing verifies. */
  readonly keys: readonly ChannelKeyMaterial[];
  /** Unix seconds. */
  readonly now: number;
  readonly toleranceSeconds: number;
  /** The header that the route names for the transport key (decisions 13.22); undefined: the scheme's own way. */
  readonly transportKeyHeader?: string | undefined;
}
export interface Verified {
  readonly kind: 'verified';
  readonly keyVersion: number;
  readonly transportKey: string;
}
export type VerifyDelivery = Verified | Unverifiable;

export const READERS: Readonly<Record<VerificationScheme, SchemeReader>> = {
  'standard-webhooks': standardWebhooks,
  'standard-webhooks-v1a': standardWebhooksV1a,
  'github-sha256': githubSha256,
  shopify,
  stripe,
  slack,
};
const KEYS_MAX = 64;
/** Stands in where a channel has no active key, so that its answer takes as long as any other. It never verifies. */
const NO_KEY: ChannelKeyMaterial = { version: 0, secret: Buffer.alloc(32) };

/**
 * Who sent these bytes, and under which transport key? Pure; reads the received bytes and never a parsed body.
 *
 * Every delivery costs one HMAC over the body for every key, also where a header alone would decide, and every one of
 * them is compared with every signature: the time says nothing about keys (reliability 4.2, PUB-SIG-06). Public keys are
 * no secret: there every signature costs one verification a key.
 */
export function verifyDelivery(scheme: VerificationScheme, delivery: SignedDelivery): VerifyDelivery {
  checkKeys(delivery.keys);
  const reader = READERS[scheme];
  const claim = reader.read(delivery.rawHeaders, transportKeyHeader(reader, delivery.transportKeyHeader));
  if (claim.kind === 'refused' && claim.reason === 'too-many-signatures') return claim;
  const keyVersion = matchingVersion(reader, claim.kind === 'claim' ? claim : undefined, delivery);
  if (claim.kind !== 'claim') return claim;
  if (!timely(claim, delivery)) {
    return refused(
      'timestamp-outside-tolerance',
      `the signed time is more than ${delivery.toleranceSeconds} s from ours; check the clock and sign again`,
    );
  }
  if (keyVersion === undefined) {
    return refused(
      'signature-mismatch',
      `${reader.signatureHeader} does not fit; sign the exact bytes sent, with the secret of this channel`,
    );
  }
  return { kind: 'verified', keyVersion, transportKey: claim.transportKey ?? keyOfBody(delivery.body) };
}

/** Where a provider sends no id beside the body it stands in the body: what comes again is the same bytes, and other bytes are another delivery. */
function keyOfBody(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** A signed transport key is worth more than one beside the signature, so a route cannot give it up. */
function transportKeyHeader(reader: SchemeReader, named: string | undefined): string | undefined {
  const own = reader.transportKeyHeader;
  const header = named?.toLowerCase() ?? own;
  invariant(
    header === own || !reader.transportKeySigned,
    'HOUSE:ingress:TransportKeyHeader',
    `the transport key of this scheme is in ${own}`,
  );
  return header;
}

/** The newest version that signed: a sender that signs with the old and the new one is not using the old one up. */
function matchingVersion({ proof }: SchemeReader, claim: Claim | undefined, { keys, body }: SignedDelivery): number | undefined {
  const fits = PROOFS[proof];
  let version: number | undefined;
  for (const key of keys.length > 0 ? keys : [NO_KEY]) {
    const fit = fits(key.secret, Buffer.from(claim?.signedPrefix ?? '', 'latin1'), body, claim?.signatures ?? []);
    if (fit && key !== NO_KEY && key.version > (version ?? -Infinity)) version = key.version;
  }
  return version;
}

/** Written so that a clock which is not a number is not timely. */
function timely(claim: Claim, delivery: SignedDelivery): boolean {
  return claim.timestamp === undefined || Math.abs(delivery.now - claim.timestamp) <= delivery.toleranceSeconds;
}

/** Our own rows, not the sender's fault: a 401 would tell an honest sender to change what is right. */
function checkKeys(keys: readonly ChannelKeyMaterial[]): void {
  invariant(
    keys.length <= KEYS_MAX,
    'HOUSE:ingress:TooManyChannelKeys',
    `a channel has at most ${KEYS_MAX} active keys, found ${keys.length}`,
  );
  invariant(
    keys.every((key) => key.secret.length > 0),
    'HOUSE:ingress:EmptyChannelKey',
    'a channel key has no bytes',
  );
}
