import { Digest } from '@connector/kernel/digest';
import { documentDigest } from '@connector/kernel/document';
import { jcs, type Json } from '@connector/kernel/jcs';

/** The five formulas of the contract (cat:DIG-05 to DIG-10). Every field but the last is free of NUL by its grammar, so a tuple reads one way. */

export function componentId(namespaceId: string, componentKind: string, businessKey: string): Digest {
  return documentDigest('nexuscrm.app-component-id.v1', Buffer.from(`${namespaceId}\0${componentKind}\0${businessKey}`, 'utf8'));
}

/** The format version is shortest decimal ASCII, never an integer's bytes (cat:A-02). It is the content digest too (cat:A-03). */
export function componentDigest(componentKind: string, componentFormatVersion: number, behavior: Uint8Array): Digest {
  const head = Buffer.from(`${componentKind}\0${componentFormatVersion}\0`, 'utf8');
  return documentDigest('nexuscrm.app-component.v1', Buffer.concat([head, behavior]));
}

/** Over the canonical bytes of the bundle, whose descriptors carry the component digests. */
export function metadataBundleDigest(bundle: Uint8Array): Digest {
  return documentDigest('nexuscrm.metadata-bundle.v1', bundle);
}

/** Over the canonical bytes of the manifest, which carries the bundle digest. The identity of a release, with its AppID (cat:DIG-11). */
export function appReleaseDigest(manifest: Uint8Array): Digest {
  return documentDigest('nexuscrm.app-release.v1', manifest);
}

/** Over the whole descriptor: equal behavior or target is not equal revision (cat:SLOT-21). */
export function slotRevisionDigest(appId: string, component: Json): Digest {
  return documentDigest('nexuscrm.layout-bundle-slot-revision.v1', jcs({ app_id: appId, component }));
}

/** How a registry that addresses by plain SHA-256 knows a blob: a delivery fact, no identity (cat:A-04, DIG-13). */
export function rawSha256(blob: Uint8Array): Digest {
  return Digest.sha256(blob);
}
