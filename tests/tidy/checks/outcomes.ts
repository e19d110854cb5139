import ts from 'typescript';
import { eachNode, titlesOf, treeOf } from '../ast';
import type { OwnedDoor } from '../model';
import { isSpec, type Source } from '../repo';
import { transitionFiles } from './write-paths';

function literals(node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isLiteralTypeNode(node)) return literals(node.literal);
  return ts.isUnionTypeNode(node) ? node.types.flatMap(literals) : [];
}

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((one) => one.kind === ts.SyntaxKind.ExportKeyword);

/** What the exported functions of a file say that they answer with. */
function answers(tree: ts.SourceFile): ts.TypeNode[] {
  return tree.statements.filter(isExported).flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement)) return statement.type ? [statement.type] : [];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ initializer }) =>
      initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)) && initializer.type
        ? [initializer.type]
        : [],
    );
  });
}

/** The words that `kind` can be in what a file answers with, by the types that it declares. */
export function kindsOf(file: Source): string[] {
  const tree = treeOf(file);
  const declared = new Map<string, ts.Node>();
  for (const statement of tree.statements) {
    if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) declared.set(statement.name.text, statement);
  }
  const kinds = new Set<string>();
  const seen = new Set<ts.Node>();
  const read = (root: ts.Node): void => {
    if (seen.has(root)) return;
    seen.add(root);
    eachNode(root, (node) => {
      if (ts.isPropertySignature(node) && node.name.getText() === 'kind') for (const word of literals(node.type)) kinds.add(word);
      const named = ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) ? declared.get(node.typeName.text) : undefined;
      if (named !== undefined) read(named);
    });
  };
  answers(tree).forEach(read);
  return [...kinds].sort();
}

const stemOf = (path: string): string => (path.split('/').at(-1) ?? '').split('.')[0] ?? '';

/**
 * Outcomes that no test begins with: `<kind>: …` in a spec of the file's name or of a door that carries it, or
 * `<name> › <kind>: …` anywhere.
 */
export function untestedOutcomes(doors: readonly OwnedDoor[], files: readonly Source[]): string[] {
  const titles = files
    .filter((file) => isSpec(file.path))
    .flatMap((file) => titlesOf(file).map((title) => ({ stem: stemOf(file.path), parts: title.split(' › ') })));
  return transitionFiles(files).flatMap(({ file, owner, name, kind }) => {
    const names = new Set([
      name,
      ...doors.filter((door) => kind === 'step' && door.owner === owner && door.paths.includes(name)).map((door) => door.name),
    ]);
    const near = titles.filter(({ stem, parts }) => names.has(stem) || parts.some((part) => names.has(part)));
    return kindsOf(file)
      .filter((word) => !near.some(({ parts }) => parts.some((part) => part.startsWith(`${word}:`))))
      .map((word) => `${file.path}: no test begins with “${word}:”`);
  });
}
