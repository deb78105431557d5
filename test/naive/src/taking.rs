//! The incumbent's list of orders that wait for the end of their auction, links and defect
//! included.
//!
//! Source: sdk/src/dlob/NodeList.ts insert and remove, 2.163.0-beta.0.

/// A doubly linked list of order numbers, sorted by (slot, insertion).
#[derive(Clone, Debug)]
pub(crate) struct TakingList {
    head: Option<usize>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Number of the order in the recording.
    order: usize,
    order_id: u32,
    previous: Option<usize>,
    next: Option<usize>,
}

/// How a node is taken off the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    /// Only the node leaves.
    Sound,
    /// The head is recognised by its order id alone, so everything before the node may leave with
    /// it.
    ByOrderId,
}

impl TakingList {
    /// Builds the list of (order number, order id) given in list order.
    pub(crate) fn new(orders: &[(usize, u32)]) -> Self {
        let last = orders.len().checked_sub(1);
        let nodes = orders
            .iter()
            .enumerate()
            .map(|(at, &(order, order_id))| Node {
                order,
                order_id,
                previous: at.checked_sub(1),
                next: (Some(at) != last).then_some(at + 1),
            })
            .collect();
        TakingList { head: last.map(|_| 0), nodes }
    }

    /// The nodes that the list still reaches, with their order numbers.
    pub(crate) fn reachable(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut at = self.head;
        while let Some(node) = at {
            found.push((node, self.nodes[node].order));
            at = self.nodes[node].next;
        }
        found
    }

    /// Takes one node off.
    pub(crate) fn remove(&mut self, node: usize, removal: Removal) {
        let Node { previous, next, order_id, .. } = self.nodes[node];
        if let Some(next) = next {
            self.nodes[next].previous = previous;
        }
        if let Some(previous) = previous {
            self.nodes[previous].next = next;
        }
        let is_taken_for_head = match (self.head, removal) {
            (None, _) => false,
            (Some(head), Removal::Sound) => head == node,
            (Some(head), Removal::ByOrderId) => self.nodes[head].order_id == order_id,
        };
        if is_taken_for_head {
            self.head = next;
        }
        self.nodes[node].previous = None;
        self.nodes[node].next = None;
    }
}
