import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import type { OperationId } from '@connector/kernel/ids';
import type { ProvenConversion } from '../conversion/journal';
import type { AppManifest } from '../manifest';
import type { AskedInstallation } from './asked';
import type { ReleaseKind } from './candidate-kind';
import type { InstallationState } from './installation';

/** A release as the registry names it; all of it is insert-only, so a plain look is enough to know it. */
export interface RegisteredRelease {
  readonly appId: string;
  readonly releaseDigest: Digest;
  readonly publisherId: string;
}

/** What was found out before the transaction of step 1: of facts that never move, and of ports. */
export interface Gathered {
  /** The revision of the organization, 0 where it has none, when gathering began. */
  readonly catalogRevision: bigint;
  readonly faults: readonly DocumentFault[];
  /** undefined where the release could not be verified; then there are faults. */
  readonly manifest: AppManifest | undefined;
  /** null where the schema is not ready; then there are faults. */
  readonly schemaGeneration: string | null;
  /** App ids by dependency alias. */
  readonly dependencyApps: ReadonlyMap<string, string>;
  /** What the deployment attested, by capability. */
  readonly receipts: ReadonlyMap<string, Buffer>;
  readonly security: { readonly securityEpoch: bigint; readonly otherInputsDigest: Digest };
}

export interface ExistingPlace {
  readonly installation: string;
  readonly state: InstallationState;
  readonly activationEpoch: bigint;
  readonly kind: ReleaseKind;
}

/** What a plan that somebody confirmed was made under: it is carried out as it was shown, or not at all. */
export interface ExpectedBasis {
  readonly catalogRevision: bigint;
  readonly securityEpoch: bigint;
}

export function isPast(expected: ExpectedBasis | undefined, now: ExpectedBasis): boolean {
  return expected !== undefined && (expected.catalogRevision !== now.catalogRevision || expected.securityEpoch !== now.securityEpoch);
}

export interface OpenPublication {
  readonly organization: string;
  /** Of an installation that there is: what the asker saw of it, and what its next attempt is for. null for a new installation. */
  readonly existing: ExistingPlace | null;
  readonly asked: AskedInstallation;
  readonly release: RegisteredRelease;
  readonly gathered: Gathered;
  /** Left out where nobody confirmed a plan. */
  readonly expected?: ExpectedBasis | undefined;
  /** Of an installation to which a legacy pack is converted: journaled in the same commit, and refused without a trace (cat:CONV-18). */
  readonly conversion?: ProvenConversion;
  /** Made before the first run; an attempt that fails takes its command with it (cat:A-31). */
  readonly commandId: OperationId;
}
