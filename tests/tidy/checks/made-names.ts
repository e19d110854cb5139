import { isProduction, type Source } from '../repo';

const HOME = 'libs/catalog/src/model/identifier.ts';
const CAST = /\bas (PublisherId|AppId|CapabilityId|HandlerRef|NamespaceId|ComponentKind|ProtocolId|WorkloadId|LocalComponentKey|Alias)\b/;
/** What a parser is given where it is put together: a template, a sum, or a text that was replaced in. */
const COMPUTED =
  /\b(?:AppId\.parse\(|argument\([^,()]*, AppId, )(?:`[^`]*\$\{|[^;]*?(?:\+|\.(?:replace|replaceAll|concat|join|slice|split)\())/;

/** Names of the App authority are made by their parsers alone: nothing computes one from a repository, a pack or another name. */
export function madeNames(files: readonly Source[]): string[] {
  const found: string[] = [];
  for (const { path, text } of files) {
    const cast = isProduction(path) && path !== HOME ? CAST.exec(text)?.[1] : undefined;
    if (cast !== undefined) found.push(`${path}: a ${cast} that no parser has seen`);
    if (isProduction(path) && text.split('\n').some((line) => COMPUTED.test(line))) found.push(`${path}: an AppId that is computed`);
  }
  return found;
}
