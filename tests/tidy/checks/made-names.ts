import { isProduction, type Source } from '../repo';

const HOME = 'libs/catalog/src/model/identifier.ts';
const CAST = /\bas (PublisherId|AppId|CapabilityId|HandlerRef|NamespaceId|ComponentKind|ProtocolId|WorkloadId|LocalComponentKey|Alias)\b/;

/** Names of the App authority are made by their parsers alone: nothing computes one from a repository, a pack or another name. */
export function madeNames(files: readonly Source[]): string[] {
  const found: string[] = [];
  for (const { path, text } of files) {
    const cast = isProduction(path) && path !== HOME ? CAST.exec(text)?.[1] : undefined;
    if (cast !== undefined) found.push(`${path}: a ${cast} that no parser has seen`);
  }
  return found;
}
