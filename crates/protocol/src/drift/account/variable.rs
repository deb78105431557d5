//! Layouts of the accounts of builders and signed messages, two of variable length.

use crate::layout::FieldType::{Enum, I8, Key, Struct, U8, U16, U32, U64};
use crate::layout::{Layout, list, many, one};
use crate::model::enums::MarketType;

/// Layout of the account `SignedMsgUserOrders`.
/// Source: programs/drift/src/state/signed_msg_user.rs `SignedMsgUserOrders`.
pub const SIGNED_MSG_USER_ORDERS: Layout = Layout {
    name: "SignedMsgUserOrders",
    size: 48,
    fields: &[
        one("authorityPubkey", Key, 8),
        one("padding", U32, 40),
        list("signedMsgOrderData", Struct(&SIGNED_MSG_ORDER_ID), 44),
    ],
};

/// Layout of the account `RevenueShare`.
/// Source: programs/drift/src/state/revenue_share.rs `RevenueShare`.
pub const REVENUE_SHARE: Layout = Layout {
    name: "RevenueShare",
    size: 74,
    fields: &[
        one("authority", Key, 8),
        one("totalReferrerRewards", U64, 40),
        one("totalBuilderRewards", U64, 48),
        many("padding", U8, 56, 18),
    ],
};

/// Layout of the account `RevenueShareEscrow`.
/// Source: programs/drift/src/state/revenue_share.rs `RevenueShareEscrow`.
pub const REVENUE_SHARE_ESCROW: Layout = Layout {
    name: "RevenueShareEscrow",
    size: 112,
    fields: &[
        one("authority", Key, 8),
        one("referrer", Key, 40),
        one("referrerBoostExpireTs", U32, 72),
        one("referrerRewardOffset", I8, 76),
        one("refereeFeeNumeratorOffset", I8, 77),
        one("referrerBoostNumerator", I8, 78),
        many("reservedFixed", U8, 79, 17),
        one("padding0", U32, 96),
        list("orders", Struct(&REVENUE_SHARE_ORDER), 100),
        one("padding1", U32, 104),
        list("approvedBuilders", Struct(&BUILDER_INFO), 108),
    ],
};

/// Layout of the struct `SignedMsgOrderId`.
/// Source: programs/drift/src/state/signed_msg_user.rs `SignedMsgOrderId`.
pub const SIGNED_MSG_ORDER_ID: Layout = Layout {
    name: "SignedMsgOrderId",
    size: 24,
    fields: &[
        many("uuid", U8, 0, 8),
        one("maxSlot", U64, 8),
        one("orderId", U32, 16),
        one("padding", U32, 20),
    ],
};

/// Layout of the struct `RevenueShareOrder`.
/// Source: programs/drift/src/state/revenue_share.rs `RevenueShareOrder`.
pub const REVENUE_SHARE_ORDER: Layout = Layout {
    name: "RevenueShareOrder",
    size: 32,
    fields: &[
        one("feesAccrued", U64, 0),
        one("orderId", U32, 8),
        one("feeTenthBps", U16, 12),
        one("marketIndex", U16, 14),
        one("subAccountId", U16, 16),
        one("builderIdx", U8, 18),
        one("bitFlags", U8, 19),
        one("userOrderIndex", U8, 20),
        one("marketType", Enum(MarketType::VARIANT_NAMES), 21),
        many("padding", U8, 22, 10),
    ],
};

/// Layout of the struct `BuilderInfo`.
/// Source: programs/drift/src/state/revenue_share.rs `BuilderInfo`.
pub const BUILDER_INFO: Layout = Layout {
    name: "BuilderInfo",
    size: 40,
    fields: &[one("authority", Key, 0), one("maxFeeTenthBps", U16, 32), many("padding", U8, 34, 6)],
};
