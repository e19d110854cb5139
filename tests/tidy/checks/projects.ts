import type { Source } from '../repo';

const CODE = /^(?:apps|libs|tests|tools)\/.*\.(?:ts|mjs)$/;

interface Project {
  readonly name: string;
  readonly folder: string;
  readonly tags: readonly string[];
}

function projectsOf(files: readonly Source[]): Project[] {
  return files
    .filter((file) => file.path.endsWith('/project.json'))
    .map((file) => {
      const { name, tags } = JSON.parse(file.text) as { name?: string; tags?: string[] };
      return { name: name ?? '', folder: file.path.slice(0, -'project.json'.length), tags: tags ?? [] };
    });
}

/** Code that belongs to no project, and projects that the boundary rule cannot place: it lets both pass. */
export function unplaced(files: readonly Source[]): string[] {
  const projects = projectsOf(files);
  const wrong = projects
    .filter(({ tags }) => ['type:', 'scope:'].some((prefix) => tags.filter((tag) => tag.startsWith(prefix)).length !== 1))
    .map(({ folder }) => `${folder}project.json does not have one type and one scope`);
  const names = projects.map((one) => one.name);
  for (const one of projects)
    if (names.indexOf(one.name) !== names.lastIndexOf(one.name)) wrong.push(`${one.folder} shares its name ${one.name}`);
  const lost = files.filter((file) => CODE.test(file.path) && !projects.some(({ folder }) => file.path.startsWith(folder)));
  return [...wrong, ...lost.map((file) => `${file.path} belongs to no project`)];
}
