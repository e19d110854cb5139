import { documentKind } from '@connector/kernel/document';
import { inKeyOrder } from '@connector/kernel/document-order';
import { closed, COUNT, DIGEST, listOf, oneOf, TEXT, type TypeOf } from '@connector/kernel/document-shape';
import { InputFault } from '@connector/kernel/faults';
import { signatureHolds } from '../signing';
import type { ConversionKey } from './journal';
import { CRM_APP_ID, type LegacyMapping, type SignedStatement } from './mapping';

/** What other phases say of themselves, each with what has to be counted in it; it holds where every count is zero. */
export const EVIDENCE = {
  'r1b-publication': ['unpublished', 'unverified'],
  'a1c-tests': ['migration', 'interruption', 'conflict', 'rollback', 'projection'],
  'p7b-parity': ['differences'],
  'p7c-cutover': ['closures-unmoved', 'fallbacks-left'],
  reachability: [
    ...['source-checkout', 'known-pack', 'active-app-pack', 'installed-runtime-declaration', 'legacy-metadata-service'],
    ...['routes-unfenced', 'work-unfenced'],
  ],
  'repository-guard': ['crm-legacy-readers', 'generic-pack-failures'],
} as const satisfies Record<string, readonly string[]>;
export type EvidenceKind = keyof typeof EVIDENCE;
const KINDS = Object.keys(EVIDENCE) as EvidenceKind[];

const evidenceShape = closed({
  schema_version: oneOf('nexuscrm.legacy-deletion-evidence/v1'),
  organization_id: TEXT,
  app_id: TEXT,
  app_release_digest: DIGEST,
  applied_payload_hash: DIGEST,
  evidence: oneOf(...KINDS),
  /** What was looked at. */
  report_digest: DIGEST,
  counts: listOf(closed({ of: TEXT, count: COUNT }), 100),
});
export type DeletionEvidence = TypeOf<typeof evidenceShape>;

/** A word of the operator trust authority about one conversion; the separator is ours. */
export const deletionEvidence = documentKind<DeletionEvidence>({
  name: 'deletion evidence',
  separator: 'nexuscrm.legacy-deletion-evidence.v1',
  shape: evidenceShape,
  arrange: (value) => ({ ...value, counts: inKeyOrder(value.counts, ({ of }) => [of]) }),
});

export interface DeletionFacts {
  readonly key: ConversionKey;
  /** Why the release is not, or is no longer, what was registered. */
  readonly releaseFaults: readonly string[];
  readonly capabilities: LegacyMapping['capabilities'];
  /** What the ACTIVE tuple of the App provides; empty while nothing is ACTIVE. */
  readonly served: readonly string[];
  readonly openReaders: readonly string[];
  /** What is kept for a rollback, a handler that drains, or work. */
  readonly retained: readonly string[];
  readonly evidence: readonly DeletionEvidence[];
}

export interface DeletionGate {
  readonly gate: string;
  readonly rule: string;
  /** What is missing; the gate holds where nothing is. */
  readonly missing: (facts: DeletionFacts) => readonly string[];
}

/** The seven, in the order of the contract. None is true by itself: each is counted from rows or from what the authority signed. */
export const DELETION_GATES: readonly DeletionGate[] = [
  {
    gate: 'release-published',
    rule: 'COEX-06',
    missing: (facts) => [...facts.releaseFaults, ...unproven(facts, 'r1b-publication')],
  },
  { gate: 'conversion-tested', rule: 'COEX-07', missing: (facts) => unproven(facts, 'a1c-tests') },
  {
    gate: 'parity-and-cutover',
    rule: 'COEX-08',
    missing: (facts) => [...unproven(facts, 'p7b-parity'), ...unproven(facts, 'p7c-cutover')],
  },
  { gate: 'capabilities-owned', rule: 'COEX-09', missing: (facts) => unowned(facts) },
  { gate: 'readers-unreachable', rule: 'COEX-10', missing: (facts) => unproven(facts, 'reachability') },
  { gate: 'retention-ended', rule: 'COEX-11', missing: ({ retained }) => retained },
  {
    gate: 'no-reader-left',
    rule: 'COEX-12',
    missing: (facts) => [...facts.openReaders.map((reader) => `${reader} is in the ledger`), ...unproven(facts, 'repository-guard')],
  },
];

export interface PassedGate {
  readonly gate: string;
  readonly rule: string;
  readonly missing: readonly string[];
}

/** cat:COEX-13: all seven, or nothing is deleted. */
export function passDeletionGates(facts: DeletionFacts): { readonly kind: 'passed' | 'closed'; readonly gates: readonly PassedGate[] } {
  const gates = DELETION_GATES.map(({ gate, rule, missing }) => ({ gate, rule, missing: missing(facts) }));
  return { kind: gates.every(({ missing }) => missing.length === 0) ? 'passed' : 'closed', gates };
}

function unproven({ evidence }: DeletionFacts, kind: EvidenceKind): readonly string[] {
  const given = evidence.filter((one) => one.evidence === kind);
  if (given.length === 0) return [`${kind} is not signed`];
  const counts = given.flatMap((one) => one.counts);
  return EVIDENCE[kind].flatMap((of) => {
    const found = counts.filter((one) => one.of === of);
    if (found.length === 0) return [`${kind} does not count ${of}`];
    return found.filter(({ count }) => count > 0).map(({ count }) => `${kind} counts ${count} of ${of}`);
  });
}

function unowned({ capabilities, served }: DeletionFacts): readonly string[] {
  return capabilities
    .filter(({ capability_id: capability, owner }) => (owner === 'app' ? !served.includes(capability) : owner === 'legacy'))
    .map(
      ({ capability_id: capability, owner }) =>
        `${capability} is of ${owner === 'app' ? 'an App that does not serve it' : 'the legacy path'}`,
    );
}

/** The evidence of these statements, or why one of them is none: signed by the authority, and about this very conversion. */
export function readEvidence(
  given: readonly SignedStatement[],
  authority: Buffer,
  key: ConversionKey,
): { readonly kind: 'evidence'; readonly evidence: readonly DeletionEvidence[] } | { readonly kind: 'refused'; readonly at: number } {
  const evidence: DeletionEvidence[] = [];
  for (const [at, { statement, signature }] of given.entries()) {
    const signed = signatureHolds(authority, deletionEvidence.separator, statement, signature);
    const value = signed ? parsed(statement) : undefined;
    if (value === undefined || !isAbout(value, key)) return { kind: 'refused', at };
    evidence.push(value);
  }
  return { kind: 'evidence', evidence };
}

function parsed(statement: Buffer): DeletionEvidence | undefined {
  try {
    return deletionEvidence.parse(statement).value;
  } catch (error) {
    if (error instanceof InputFault) return undefined;
    throw error;
  }
}

function isAbout(value: DeletionEvidence, key: ConversionKey): boolean {
  const { organization_id, app_id, app_release_digest, applied_payload_hash } = value;
  const same = organization_id === key.organization && app_release_digest === key.appReleaseDigest;
  return same && app_id === CRM_APP_ID && applied_payload_hash === key.appliedPayloadHash;
}
