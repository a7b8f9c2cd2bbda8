//! Node kinds as types, so that what differs between them is decided when compiling.

/// A kind of node. The first child of a node is of kind `Child`; all other children are [`NonPv`]
/// until they prove to be better.
pub trait Node {
    /// The position the search starts from.
    const ROOT: bool;
    /// The window is open.
    const PV: bool;
    /// The kind of a child that is searched with the open window.
    type Child: Node;
}

/// The position the search starts from.
pub struct Root;
/// A node whose score may become exact.
pub struct Pv;
/// A node with a null window.
pub struct NonPv;

impl Node for Root {
    const ROOT: bool = true;
    const PV: bool = true;
    type Child = Pv;
}

impl Node for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
    type Child = Pv;
}

impl Node for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
    type Child = NonPv;
}
