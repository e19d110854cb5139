#!/usr/bin/env node
/** Makes the checkout able to run, with nothing but Node: the right Node, and node_modules exactly as the lock says. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { step } from './progress.mjs';
import { isProgram, main, packaged, Refusal, root, run } from './run.mjs';

const NEEDED = [20, 19];
const marker = packaged('.connector-lock');

export async function bootstrap() {
  checkNode();
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(marker) || readFileSync(marker, 'utf8') !== lock) {
    await step('installing packages (npm ci)', installPackages);
    writeFileSync(marker, lock);
  }
  linkCommand();
}

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return;
  throw new Refusal(`needs Node ${NEEDED.join('.')} or newer, this is ${process.versions.node}`);
}

async function installPackages() {
  const npm = process.env.npm_execpath;
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const { code, output } = await (npm?.endsWith('.js')
    ? run(process.execPath, [npm, ...args], { show: false })
    : run('npm', args, { show: false }));
  if (code === 0) return;
  throw new Refusal(
    `${output.slice(-4_000)}\nnpm ci ended with ${code}. Most often the package registry cannot be reached: see above, then run the same command again.`,
  );
}

/** npm links the commands of dependencies only; with this `npx connector` finds ours without asking the registry. */
function linkCommand() {
  const link = packaged('.bin/connector');
  if (existsSync(link)) return;
  mkdirSync(packaged('.bin'), { recursive: true });
  symlinkSync('../../tools/connector.mjs', link);
}

if (isProgram(import.meta)) await main(bootstrap);
