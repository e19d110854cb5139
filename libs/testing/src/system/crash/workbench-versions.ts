import { checkRelease } from '@connector/catalog/model/release';
import { jcs, type Json } from '@connector/kernel/jcs';
import { installBody, signingKey, workbenchRelease } from '@connector/services/local/src/demo/workbench-app';
import { WORKBENCH } from '@connector/services/local/src/demo/world';
import { signerOf } from '../../fixtures/registry';
import type { BuiltRelease } from '../../fixtures/release';
import type { SystemUnderTest } from '../system';
import { withMember } from '../world';
import type { Chosen } from './attempts';
import type { RegistryActs } from './registry-acts';

/** What is chosen of two further versions of the App of this machine: the first claims a namespace, and the second does without. */
export interface Versions {
  readonly claiming: Chosen;
  readonly plain: Chosen;
}

/** Signed by the key of this machine, since what it runs serves the handlers of no other App. */
export async function registeredVersions({ local }: SystemUnderTest, registry: RegistryActs): Promise<Versions> {
  const key = signerOf(await signingKey(local.store));
  const registered = async (version: string, namespaces: readonly string[]): Promise<Chosen> =>
    installBody(await registry.registered(key, versionOf(version, namespaces)));
  return { claiming: await registered('1.1.0', [`${WORKBENCH.app}.claimed`]), plain: await registered('1.2.0', []) };
}

function versionOf(version: string, namespaces: readonly string[]): BuiltRelease {
  const { manifestBytes, bundleBytes: bundle } = workbenchRelease();
  const shipped = JSON.parse(manifestBytes.toString()) as Json;
  const manifest = jcs(withMember(withMember(shipped, 'semantic_version', version), 'owned_namespaces', namespaces));
  const checked = checkRelease({ manifest, bundle, blobOf: () => undefined });
  if (checked.kind === 'faulty') throw new RangeError(`version ${version} is faulty: ${JSON.stringify(checked.faults)}`);
  return { ...checked.release, blobs: [] };
}
