import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A person has to do something; the message says what. Printed without a stack. */
export class Refusal extends Error {}

/** The script of an installed package, to be run by this very Node. */
export const packaged = (path) => join(root, 'node_modules', path);

const running = new Set();

/**
 * Runs a program to its end: its exit code (128 + signal when it was killed) and, when not shown, the tail of what it printed. One that
 * takes longer than `minutes` is killed.
 */
export function run(program, args, { env = {}, show = true, minutes = 30 } = {}) {
  return new Promise((resolve, reject) => {
    const sink = show ? 'inherit' : 'pipe';
    const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', sink, sink] });
    running.add(child);
    const overdue = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000);
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-200_000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      running.delete(child);
      clearTimeout(overdue);
      resolve({ code: exitCode(code, signal), output });
    });
  });
}

/**
 * Calls `hear` with every signal that asks us to end. npm runs us under a shell and passes a SIGTERM on to that shell only, which dies of it
 * and leaves us behind: so the end of that shell counts as a SIGTERM too.
 */
export function onEndAsked(hear) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, hear);
  const shell = process.ppid;
  if (process.env.npm_lifecycle_event === undefined) return;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    hear('SIGTERM');
  }, 500);
  watch.unref();
}

/** From here on a Ctrl-C ends what `run` runs, not us: we still have an engine to stop. Returns what says whether one came. */
export function holdInterrupts() {
  let came;
  onEndAsked((signal) => {
    came ??= exitCode(null, signal);
    for (const child of running) child.kill(signal);
  });
  return () => came;
}

export const exitCode = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 0);

/** Runs a tool; what it returns is the exit code. A Refusal is one message, anything else is our own mistake and shows its stack. */
export async function main(work) {
  try {
    const code = await work();
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    console.error(error instanceof Refusal ? error.message : error);
    process.exitCode = 1;
  }
}

/** Whether a module is the program that Node was asked to run, be it by a link. */
export function isProgram(meta) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(meta.url);
}

/** One flag of our own taken out of the arguments: whether it was there, and the rest. */
export function takeFlag(args, flag) {
  return [args.includes(flag), args.filter((arg) => arg !== flag)];
}
