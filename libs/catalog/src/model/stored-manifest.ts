import { DefectFault } from '@connector/kernel/faults';
import { bundleRule, type MetadataBundle } from './bundle';
import { readDocument } from './canonical';
import { RELEASE_LIMITS } from './limits';
import { type AppManifest, manifestRule } from './manifest';

/** The manifest of a registered release. It was checked before it was stored, so bytes that are none are a defect of ours. */
export function storedManifest(bytes: Buffer): AppManifest {
  const refuse = (pointer: string, code: string): never => {
    throw new DefectFault('HOUSE:catalog:StoredManifest', `a registered manifest is none: ${code} at ${pointer}`);
  };
  const value: unknown = readDocument(bytes, RELEASE_LIMITS.manifest, refuse)?.value;
  return manifestRule.admits(value, '', refuse) ? value : refuse('', 'SHAPE');
}

/** The same of a bundle. */
export function storedBundle(bytes: Buffer): MetadataBundle {
  const refuse = (pointer: string, code: string): never => {
    throw new DefectFault('HOUSE:catalog:StoredBundle', `a registered bundle is none: ${code} at ${pointer}`);
  };
  const value: unknown = readDocument(bytes, RELEASE_LIMITS.bundle, refuse)?.value;
  return bundleRule(() => undefined).admits(value, '', refuse) ? value : refuse('', 'SHAPE');
}
