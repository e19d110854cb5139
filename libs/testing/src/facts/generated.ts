import 'reflect-metadata';
import { factsPage } from './facts-page';
import { machinePictures } from './machine-pictures';
import { facts } from './source';

/** Every generated document by its place in the repository. Needs no engine. */
export async function generatedDocuments(): Promise<ReadonlyMap<string, string>> {
  const found = await facts();
  return new Map([['docs/FACTS.md', await factsPage(found)], ...machinePictures(found)]);
}
