/** The one table of a run, on the terminal and in `bench/results`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describeWorkload } from '../workload/files.mjs';

const HEADINGS = [
  'row',
  'work',
  'workload',
  'ours (CPU)',
  'peer (CPU)',
  'ratio (min..max of rounds; CPU)',
  'bar',
  'wish',
  'verdict',
];

/** The machine and the programs of a run; nothing that names a host. */
export function describeMachine() {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? 'unknown',
    cores: cpus.length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    rustc: output('rustc', ['--version']),
    commit: describeCommit(),
  };
}

/** The measured commit, and whether the working tree differs from it. */
function describeCommit() {
  const commit = output('git', ['rev-parse', '--short', 'HEAD']);
  const changed = output('git', ['status', '--porcelain', '--', 'crates', 'src', 'bench']);
  return changed === '' || commit === 'unknown' ? commit : `${commit} with uncommitted changes`;
}

/** Load of the machine, as its own value: other work on the same cores slows both sides. */
export function loadAverage() {
  return os.loadavg().map((load) => Number(load.toFixed(2)));
}

function output(command, args) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

/** `wish` and `bar` are met, or the bar is `missed`; rows without a bar that miss their wish are information. */
export function verdictOf({ better, bar, wish, ratio, value }) {
  const reached = ratio ?? value;
  const meets = (limit) => (better === 'higher' ? reached >= limit : reached <= limit);
  if (wish !== null && meets(wish)) return 'wish met';
  if (bar === null) return '-';
  return meets(bar) ? 'bar met' : 'MISSED';
}

/** The table as lines of markdown. */
export function table(results) {
  const lines = results.map(cells);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...lines.map((line) => line[column].length)),
  );
  const join = (line) => `| ${line.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [join(HEADINGS), rule, ...lines.map(join)];
}

function cells(result) {
  const { row, work, workload, data, against, ours, peer, shown } = result;
  return [
    String(row),
    against ? `${work}, against ${against}` : work,
    data ?? describeWorkload(workload),
    ours ? timed(ours) : shown,
    peer ? timed(peer) : '-',
    ours ? ratioCell(result) : '-',
    limit(result.bar, result),
    limit(result.wish, result),
    verdictOf(result),
  ];
}

/** A latency has no CPU time: it is waiting. */
function timed({ wallNs, cpuNs, kernelNs, marginPercent, p99Ns }) {
  const kernel = kernelNs === undefined ? '' : `, ${duration(kernelNs)} of it the kernel's`;
  const cpu = cpuNs === undefined ? '' : ` (${duration(cpuNs)}${kernel})`;
  const margin = marginPercent === undefined ? '' : ` ±${marginPercent.toFixed(1)} %`;
  const slowest = p99Ns === undefined ? '' : `, p99 ${duration(p99Ns)}`;
  return `${duration(wallNs)}${margin}${slowest}${cpu}`;
}

function ratioCell({ ratio, ratioMin, ratioMax, ratioCpu, rounds }) {
  const spread = `${factor(ratioMin)}..${factor(ratioMax)} of ${rounds.length}`;
  const cpu = ratioCpu === undefined ? '' : `; ${factor(ratioCpu)}`;
  return `${factor(ratio)} (${spread}${cpu})`;
}

function limit(value, { better, ratio, unit }) {
  if (value === null) return '-';
  const sign = better === 'higher' ? '>=' : '<=';
  return ratio === undefined ? `${sign} ${value}${unit ? ` ${unit}` : ''}` : `${sign} ${value}x`;
}

function factor(value) {
  return `${value >= 100 ? Math.round(value) : value.toPrecision(3)}x`;
}

function duration(ns) {
  const units = [
    ['s', 1e9],
    ['ms', 1e6],
    ['us', 1e3],
  ];
  const [name, size] = units.find(([, size]) => ns >= size) ?? ['ns', 1];
  return `${(ns / size).toPrecision(3)} ${name}`;
}

/** Writes a run's table and results into `folder`; returns the paths. */
export function writeResults(folder, run) {
  mkdirSync(folder, { recursive: true });
  const machine = `${run.machine.cpu} ${run.machine.cores} cores`;
  const slug = machine.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const base = path.join(folder, `${run.date.slice(0, 10)}-${slug}`);
  writeFileSync(`${base}.json`, `${JSON.stringify(run, null, 1)}\n`);
  writeFileSync(`${base}.md`, `${document(run).join('\n')}\n`);
  return [`${base}.json`, `${base}.md`];
}

function document({ date, machine, rounds, load, upTo, results }) {
  return [
    `# Benchmarks of ${date.slice(0, 10)}`,
    '',
    ...summary({ machine, rounds, load }).map((line) => `- ${line}`),
    ...(upTo === undefined ? [] : [`- Unfinished: the rows up to ${upTo}.`]),
    '',
    ...table(results),
  ];
}

/** The text below the table. */
export function summary({ machine, rounds, load }) {
  const { cpu, cores, memoryGiB, platform, node, rustc, commit } = machine;
  return [
    `Machine: ${cores} cores, ${cpu}, ${memoryGiB} GiB, ${platform}; node ${node}, ${rustc}.`,
    `Commit ${commit}; load average ${load.before.join(' ')} before, ${load.after.join(' ')} after.`,
    `${rounds} rounds in turns, ours then peer. Times are medians a single operation, wall clock`,
    'with the CPU time of the process in brackets; ratios are medians of the ratios of the rounds,',
    'of CPU times in rows 4, 5, walk, match, accounts, deltas, binary, edges, books, grpc and merge, of wall clocks in the others.',
    'In every timed row the results of both sides were compared first and were equal.',
  ];
}
