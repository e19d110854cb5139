import type { Digest } from '@connector/kernel/digest';
import type { DocumentFault } from '@connector/kernel/document-fault';
import type { OfferedProtocol } from './deployment';

/** What an operator asks to be installed: every choice, none of which Catalog makes by itself (cat:A-12). */
export interface AskedInstallation {
  readonly appId: string;
  readonly appReleaseDigest: Digest;
  readonly dependencies: readonly { readonly alias: string; readonly appReleaseDigest: Digest }[];
  readonly grants: readonly { readonly workloadId: string; readonly capabilities: readonly string[] }[];
  readonly handlerBindings: readonly {
    readonly capabilityId: string;
    readonly workloadId: string;
    readonly serviceReleaseDigest: Digest;
  }[];
  readonly frontendReleaseDigest: Digest | null;
}

/** What the platform offers to every App. What is not in it is not known, and fails closed (cat:MAN-30). */
export interface PlatformOffers {
  readonly protocols: readonly OfferedProtocol[];
  readonly engineCapabilities: readonly string[];
  readonly runtimeCapabilities: readonly string[];
}

const SAID_MAX = 256;

/** A preparation check that failed: `rule` is the check, the pointer is into what was asked. */
export function failed(rule: string, pointer: string, code: string, expected: string, found: string): DocumentFault {
  return { pointer, code, rule, expected: expected.slice(0, SAID_MAX), found: found.slice(0, SAID_MAX) };
}
