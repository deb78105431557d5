/** Answers by path and status. */
export class RequestCounts {
  private readonly counts = new Map<string, Map<number, number>>();

  /** `path` is a route's name, never what a client sent: the number of series stays bounded. */
  countReply(path: string, status: number): void {
    let byStatus = this.counts.get(path);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.counts.set(path, byStatus);
    }
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
  }

  /** One entry for each path and status seen. */
  *listCounts(): Generator<{ path: string; status: number; count: number }> {
    for (const [path, byStatus] of this.counts) {
      for (const [status, count] of byStatus) yield { path, status, count };
    }
  }
}
