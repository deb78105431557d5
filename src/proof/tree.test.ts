import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashLeaf, nodesOf, nodesOfTiles, OpenTiles, pathOf, rootOf, TILE_WIDTH } from './tree.js';

/** Source: RFC 6962's tree over the eight inputs of Certificate Transparency's own tests. */
const INPUTS = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('the roots are those of RFC 6962', () => {
  const hashes = INPUTS.map((input) => hashLeaf(Buffer.from(input, 'hex')));
  const tiles = new OpenTiles();
  expect(hex(tiles.root())).toBe(ROOTS[0]);
  for (const [at, hash] of hashes.entries()) {
    tiles.appendHash(hash);
    expect(hex(tiles.root())).toBe(ROOTS[at + 1]);
    expect(hex(rootOf(nodesOf(hashes), 0, at + 1))).toBe(ROOTS[at + 1]);
  }
  expect(pathOf(nodesOf(hashes), 5, { to: 8 }).map(hex)).toEqual([
    'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  ]);
});

/** The root to which a path leads, by RFC 9162's rule for whoever checks it. */
function rootBy(leaf: Uint8Array, at: number, size: number, path: readonly Uint8Array[]): string {
  const node = (left: Uint8Array, right: Uint8Array): Buffer =>
    createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
  const climb = (
    hash: Uint8Array,
    from: number,
    count: number,
    left: readonly Uint8Array[],
  ): Uint8Array => {
    if (count === 1) return hash;
    let half = 1;
    while (half * 2 < count) half *= 2;
    const sibling = left.at(-1) as Uint8Array;
    const rest = left.slice(0, -1);
    return from < half
      ? node(climb(hash, from, half, rest), sibling)
      : node(sibling, climb(hash, from - half, count - half, rest));
  };
  return hex(climb(leaf, at, size, path));
}

test('a tree of tiles has the roots and paths of a tree in memory', () => {
  const hashes = Array.from({ length: 2 * TILE_WIDTH ** 2 + 700 }, (_, at) =>
    hashLeaf(Buffer.of(at & 255, at >> 8, at >> 16)),
  );
  const levels: Uint8Array[][] = [[], [], [], []];
  const tiles = new OpenTiles();
  for (const hash of hashes) {
    for (const [level, added] of tiles.appendHash(hash).entries()) levels[level]?.push(added);
  }
  const read = (level: number, from: number, count: number) =>
    levels[level]?.slice(from, from + count) ?? [];
  for (const size of [1, 255, 256, 257, 65_536, 65_793, hashes.length]) {
    const root = hex(rootOf(nodesOfTiles(read), 0, size));
    const open = new OpenTiles(size, (level, count) => {
      const end = Math.floor(size / TILE_WIDTH ** level);
      return read(level, end - count, count);
    });
    expect(hex(open.root())).toBe(root);
    for (const at of [0, size >> 1, size - 1]) {
      const path = pathOf(nodesOfTiles(read), at, { to: size });
      expect(rootBy(hashes[at] as Uint8Array, at, size, path)).toBe(root);
    }
  }
});
