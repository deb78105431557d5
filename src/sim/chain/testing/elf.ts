/**
 * Builds the ELF file of a program for the chain's loader: its code, and the names and locations of
 * calls of the runtime.
 *
 * Source: the ELF64 format; the loader's requirements are in anza-xyz/sbpf (src/elf.rs).
 */
import type { SystemCall } from './sbpf.js';

const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const SECTION_HEADER_BYTES = 64;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 16;
const SHARED_OBJECT = 3;
/** The machine number, which the loader reads as version 0. */
const MACHINE_BPF = 247;
/** Relocation of a call by name. */
const RELOCATE_CALL = 10n;
const GLOBAL_SYMBOL = 0x10;

/** Entries of the dynamic section. */
const DYNAMIC = {
  strings: 5n,
  symbols: 6n,
  stringsSize: 10n,
  symbolSize: 11n,
  relocations: 17n,
  relocationsSize: 18n,
  relocationSize: 19n,
} as const;

/** Section types. */
const SECTION = { null: 0, code: 1, strings: 3, dynamic: 6, relocations: 9, symbols: 11 } as const;
const LOADED = 2;
const EXECUTABLE = 4;
/** Segment types and permissions. */
const SEGMENT = { load: 1, dynamic: 2, execute: 1, write: 2, read: 4 } as const;

interface Section {
  readonly name: string;
  readonly kind: number;
  readonly flags: number;
  readonly body: Buffer;
  /** Name of the linked section. */
  readonly link?: string;
  readonly info?: number;
  readonly entryBytes?: number;
}

interface Placed extends Section {
  readonly at: number;
}

/** Returns the file of a program whose entry point is its first instruction. */
export function elfOf(program: {
  readonly code: Buffer;
  readonly systemCalls: readonly SystemCall[];
}): Buffer {
  const codeAt = alignToWord(HEADER_BYTES + 3 * PROGRAM_HEADER_BYTES);
  const sections = placeSections(sectionsOf(program, codeAt), codeAt);
  const dynamic = sectionNamed(sections, '.dynamic');
  writeDynamic(dynamic.body, sections);
  const last = sections.at(-1);
  if (last === undefined) throw new Error('Invariant: there are sections');
  const tableAt = alignToWord(last.at + last.body.length);
  const file = Buffer.alloc(tableAt + sections.length * SECTION_HEADER_BYTES);
  writeHeader(file, { codeAt, tableAt, sections: sections.length });
  const text = sectionNamed(sections, '.text');
  const { load, execute, read, write } = SEGMENT;
  const tail = { at: dynamic.at, bytes: last.at - dynamic.at };
  const segments = [
    { kind: load, rights: read | execute, at: text.at, bytes: text.body.length },
    { kind: load, rights: read, ...tail },
    { kind: SEGMENT.dynamic, rights: read | write, at: dynamic.at, bytes: dynamic.body.length },
  ];
  segments.forEach((segment, i) => {
    writeSegment(file, HEADER_BYTES + i * PROGRAM_HEADER_BYTES, segment);
  });
  sections.forEach((section, i) => {
    section.body.copy(file, section.at);
    writeSectionHeader(file, tableAt + i * SECTION_HEADER_BYTES, { section, sections });
  });
  return file;
}

function sectionsOf(
  { code, systemCalls }: { readonly code: Buffer; readonly systemCalls: readonly SystemCall[] },
  codeAt: number,
): Section[] {
  const names = [...new Set(systemCalls.map(({ name }) => name))];
  const strings = stringTable(names);
  const symbols = Buffer.alloc((names.length + 1) * SYMBOL_BYTES);
  names.forEach((name, i) => {
    symbols.writeUInt32LE(strings.offsets.get(name) ?? 0, (i + 1) * SYMBOL_BYTES);
    symbols.writeUInt8(GLOBAL_SYMBOL, (i + 1) * SYMBOL_BYTES + 4);
  });
  const relocations = Buffer.alloc(systemCalls.length * RELOCATION_BYTES);
  systemCalls.forEach(({ at, name }, i) => {
    const symbol = BigInt(names.indexOf(name) + 1);
    relocations.writeBigUInt64LE(BigInt(codeAt + at), i * RELOCATION_BYTES);
    relocations.writeBigUInt64LE((symbol << 32n) | RELOCATE_CALL, i * RELOCATION_BYTES + 8);
  });
  const dynamic = Buffer.alloc((Object.keys(DYNAMIC).length + 1) * 16);
  const sections: Section[] = [
    { name: '', kind: SECTION.null, flags: 0, body: Buffer.alloc(0) },
    { name: '.text', kind: SECTION.code, flags: LOADED | EXECUTABLE, body: code },
    {
      name: '.dynamic',
      kind: SECTION.dynamic,
      flags: LOADED,
      body: dynamic,
      link: '.dynstr',
      entryBytes: 16,
    },
    {
      name: '.dynsym',
      kind: SECTION.symbols,
      flags: LOADED,
      body: symbols,
      link: '.dynstr',
      info: 1,
      entryBytes: SYMBOL_BYTES,
    },
    { name: '.dynstr', kind: SECTION.strings, flags: LOADED, body: strings.bytes },
    {
      name: '.rel.dyn',
      kind: SECTION.relocations,
      flags: LOADED,
      body: relocations,
      link: '.dynsym',
      entryBytes: RELOCATION_BYTES,
    },
  ];
  const named = stringTable([...sections.map(({ name }) => name), '.shstrtab']);
  return [...sections, { name: '.shstrtab', kind: SECTION.strings, flags: 0, body: named.bytes }];
}

function writeDynamic(body: Buffer, sections: readonly Placed[]): void {
  const strings = sectionNamed(sections, '.dynstr');
  const symbols = sectionNamed(sections, '.dynsym');
  const relocations = sectionNamed(sections, '.rel.dyn');
  const entries: readonly (readonly [bigint, number])[] = [
    [DYNAMIC.relocations, relocations.at],
    [DYNAMIC.relocationsSize, relocations.body.length],
    [DYNAMIC.relocationSize, RELOCATION_BYTES],
    [DYNAMIC.symbols, symbols.at],
    [DYNAMIC.symbolSize, SYMBOL_BYTES],
    [DYNAMIC.strings, strings.at],
    [DYNAMIC.stringsSize, strings.body.length],
  ];
  entries.forEach(([tag, value], i) => {
    body.writeBigUInt64LE(tag, i * 16);
    body.writeBigUInt64LE(BigInt(value), i * 16 + 8);
  });
}

function writeHeader(
  file: Buffer,
  at: { readonly codeAt: number; readonly tableAt: number; readonly sections: number },
): void {
  // 64 bits, little endian, version 1.
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(file);
  file.writeUInt16LE(SHARED_OBJECT, 16);
  file.writeUInt16LE(MACHINE_BPF, 18);
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(at.codeAt), 24);
  file.writeBigUInt64LE(BigInt(HEADER_BYTES), 32);
  file.writeBigUInt64LE(BigInt(at.tableAt), 40);
  file.writeUInt16LE(HEADER_BYTES, 52);
  file.writeUInt16LE(PROGRAM_HEADER_BYTES, 54);
  file.writeUInt16LE(3, 56);
  file.writeUInt16LE(SECTION_HEADER_BYTES, 58);
  file.writeUInt16LE(at.sections, 60);
  file.writeUInt16LE(at.sections - 1, 62);
}

function writeSegment(
  file: Buffer,
  place: number,
  segment: {
    readonly kind: number;
    readonly rights: number;
    readonly at: number;
    readonly bytes: number;
  },
): void {
  file.writeUInt32LE(segment.kind, place);
  file.writeUInt32LE(segment.rights, place + 4);
  // The offset in the file and both addresses, which are equal.
  for (const at of [8, 16, 24]) file.writeBigUInt64LE(BigInt(segment.at), place + at);
  for (const at of [32, 40]) file.writeBigUInt64LE(BigInt(segment.bytes), place + at);
  file.writeBigUInt64LE(segment.kind === SEGMENT.dynamic ? 8n : 4_096n, place + 48);
}

function writeSectionHeader(
  file: Buffer,
  place: number,
  { section, sections }: { readonly section: Placed; readonly sections: readonly Placed[] },
): void {
  if (section.kind === SECTION.null) return;
  const isLoaded = (section.flags & LOADED) !== 0;
  const names = sectionNamed(sections, '.shstrtab').body.toString('latin1');
  const link = sections.findIndex(({ name }) => name !== '' && name === section.link);
  file.writeUInt32LE(names.indexOf(`${section.name}\0`), place);
  file.writeUInt32LE(section.kind, place + 4);
  file.writeBigUInt64LE(BigInt(section.flags), place + 8);
  file.writeBigUInt64LE(BigInt(isLoaded ? section.at : 0), place + 16);
  file.writeBigUInt64LE(BigInt(section.at), place + 24);
  file.writeBigUInt64LE(BigInt(section.body.length), place + 32);
  file.writeUInt32LE(Math.max(0, link), place + 40);
  file.writeUInt32LE(section.info ?? 0, place + 44);
  file.writeBigUInt64LE(isLoaded ? 8n : 1n, place + 48);
  file.writeBigUInt64LE(BigInt(section.entryBytes ?? 0), place + 56);
}

function placeSections(sections: readonly Section[], from: number): Placed[] {
  let at = from;
  return sections.map((section) => {
    const here = section.kind === SECTION.null ? 0 : at;
    at = alignToWord(at + section.body.length);
    return { ...section, at: here };
  });
}

function sectionNamed(sections: readonly Placed[], name: string): Placed {
  const section = sections.find((candidate) => candidate.name === name);
  if (section === undefined) throw new Error(`Invariant: there is a section ${name}`);
  return section;
}

function stringTable(names: readonly string[]) {
  const offsets = new Map<string, number>();
  let text = '\0';
  for (const name of names) {
    offsets.set(name, text.length);
    text += `${name}\0`;
  }
  return { bytes: Buffer.from(text, 'latin1'), offsets };
}

function alignToWord(at: number): number {
  return Math.ceil(at / 8) * 8;
}
